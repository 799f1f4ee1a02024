// A plugstack may load the plugin twice, by mistake: nothing may be scaled twice.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_INSTANCE_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_INSTANCE_H_

namespace compute_scale {

// Whether this is the first copy of the plugin in this process. Walks the list of loaded objects:
// call it only when there is something to do.
bool is_first_copy();

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_INSTANCE_H_
