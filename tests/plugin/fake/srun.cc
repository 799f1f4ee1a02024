// By this symbol the plugin knows that it is in srun.
extern "C" int sropt;
int sropt = 0;
