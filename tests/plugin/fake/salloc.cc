// By this symbol the plugin knows that it is in salloc.
extern "C" int saopt;
int saopt = 0;
