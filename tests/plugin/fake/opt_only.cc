// A program that exports its options in a Slurm without the calls that read and set them.
#include "request.h"

extern "C" {
FakeRequest opt;
}
