// Reads a number out of a shared object without loading it.
#ifndef COMPUTE_SCALE_LIB_ELF_SYMBOL_H_
#define COMPUTE_SCALE_LIB_ELF_SYMBOL_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace compute_scale {

// The 32-bit number that the dynamic symbol `name` of the shared object `bytes` stands for, or
// nothing: no such symbol, or no whole 64-bit ELF object of this machine's byte order. Any input is
// safe. Source: elf(5).
std::optional<std::uint32_t> elf_number(std::string_view bytes, std::string_view name);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_ELF_SYMBOL_H_
