// By this symbol the plugin knows that it is in sbatch.
extern "C" int sbopt;
int sbopt = 0;
