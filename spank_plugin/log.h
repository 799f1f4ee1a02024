// Lines for the user, through Slurm's own log: it puts "sbatch: " or the like in front, and -Q
// works.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_LOG_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_LOG_H_

namespace compute_scale {

// "compute-scale: <text>"; a line break in it becomes a space, so that it stays one line.
void say(const char* text);
void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Ends the command: one error line, exit status 1. Returning an error from a hook would not do, as
// Slurm ignores that where the plugin is `optional`.
[[noreturn]] void refuse(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_LOG_H_
