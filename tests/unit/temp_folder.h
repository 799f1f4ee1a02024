// A folder of a test's own that goes away with it.
#ifndef COMPUTE_SCALE_TESTS_UNIT_TEMP_FOLDER_H_
#define COMPUTE_SCALE_TESTS_UNIT_TEMP_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace compute_scale {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "compute-scale-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path(const std::string& name = "") const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  // Writes a file, with the folders above it, and returns its path.
  std::string write(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::string path_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_TESTS_UNIT_TEMP_FOLDER_H_
