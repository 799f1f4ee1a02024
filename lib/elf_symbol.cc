#include "elf_symbol.h"

#include <elf.h>

#include <cstring>

#include "text.h"

namespace compute_scale {
namespace {

// A copy of the record at `offset`, or nothing where it would end behind `bytes`.
template <typename T>
std::optional<T> record_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

// Whether the text at `offset` is `name`, up to its NUL.
bool is_text_at(std::string_view bytes, std::uint64_t offset, std::string_view name) {
  if (offset > bytes.size()) return false;
  const std::string_view rest = bytes.substr(offset);
  return starts_with(rest, name) && rest.size() > name.size() && rest[name.size()] == '\0';
}

std::optional<Elf64_Ehdr> header_of(std::string_view bytes) {
  const auto header = record_at<Elf64_Ehdr>(bytes, 0);
  if (!header || !starts_with(bytes, ELFMAG)) return std::nullopt;
  constexpr unsigned char kOwnOrder =
      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  const bool fits =
      header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == kOwnOrder;
  return fits ? header : std::nullopt;
}

std::optional<Elf64_Shdr> section(std::string_view bytes, const Elf64_Ehdr& header,
                                  std::uint32_t index) {
  if (index >= header.e_shnum) return std::nullopt;
  return record_at<Elf64_Shdr>(bytes, header.e_shoff + index * sizeof(Elf64_Shdr));
}

// The address of `name` in the table of symbols `table`.
std::optional<std::uint64_t> address_in(std::string_view bytes, const Elf64_Ehdr& header,
                                        const Elf64_Shdr& table, std::string_view name) {
  const auto names = section(bytes, header, table.sh_link);
  if (!names) return std::nullopt;
  for (std::uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = record_at<Elf64_Sym>(bytes, table.sh_offset + at);
    if (!symbol) return std::nullopt;
    if (symbol->st_shndx == SHN_UNDEF) continue;
    if (is_text_at(bytes, names->sh_offset + symbol->st_name, name)) return symbol->st_value;
  }
  return std::nullopt;
}

// Where in the file the byte lies that is mapped at `address`.
std::optional<std::uint64_t> offset_of(std::string_view bytes, const Elf64_Ehdr& header,
                                       std::uint64_t address) {
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = record_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return std::nullopt;
    const bool holds = segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
                       address - segment->p_vaddr < segment->p_filesz;
    if (holds) return segment->p_offset + (address - segment->p_vaddr);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> elf_number(std::string_view bytes, std::string_view name) {
  const auto header = header_of(bytes);
  if (!header) return std::nullopt;
  for (std::uint32_t i = 0; i < header->e_shnum; ++i) {
    const auto table = section(bytes, *header, i);
    if (!table) return std::nullopt;
    if (table->sh_type != SHT_DYNSYM) continue;
    const auto address = address_in(bytes, *header, *table, name);
    if (!address) continue;
    const auto offset = offset_of(bytes, *header, *address);
    return offset ? record_at<std::uint32_t>(bytes, *offset) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace compute_scale
