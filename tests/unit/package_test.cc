#include "package.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "entry_text.h"
#include "temp_folder.h"

namespace compute_scale {
namespace {

std::string package_text(const Package& p) {
  std::string text = p.name + " base=" + p.base_image + " image=" + p.image +
                     " cuda=" + std::to_string(p.use_cuda) + " workdir=" + p.workdir +
                     " fakeroot=" + std::to_string(p.fakeroot) +
                     " tmpfs=" + std::to_string(p.writable_tmpfs) +
                     " nohome=" + std::to_string(p.no_home) + " env:" + env_text(p.env) + " flags:";
  for (const std::string& flag : p.apptainer_flags) text += " " + flag;
  text += " binds:";
  for (const Bind& bind : p.data_binds) {
    text += " " + bind.host + ">" + bind.container + (bind.optional ? "?" : "");
  }
  return text;
}

TEST(Package, Defaults) {
  EXPECT_EQ(package_text(parse_package("{}", "P", "f").value()),
            "P base= image= cuda=1 workdir=/workspace fakeroot=0 tmpfs=0 nohome=0 env: flags: "
            "binds:");
}

TEST(Package, AllKeys) {
  const Result<Package> package = parse_package(R"({
      "base_image": "pytorch/pytorch:2.5.1", "image": "{project_root}/vendor/images/P.sif",
      "env": {"PYTHONPATH": "/workspace/P:${PYTHONPATH}", "N": 1},
      "use_cuda": false, "workdir": "/work",
      "data_deps": [{"host": "{data_root}/a", "container": "/data/a", "optional": true},
                    {"name": "b", "host_path": "{data_root}/b", "container_path": "/data/b",
                     "prepare": "scripts/b.py", "description": "…"}],
      "data_bind": ["{data_root}/c d:/data/c d"],
      "apptainer_flags": ["--contain", "--bind", "/x"],
      "fakeroot": true, "writable_tmpfs": true, "no_home": true,
      "install_cmds": ["pip install x"], "name": "P"})",
                                                "P", "f");
  ASSERT_TRUE(package.ok()) << package.error().text;
  EXPECT_EQ(
      package_text(*package),
      "P base=pytorch/pytorch:2.5.1 image={project_root}/vendor/images/P.sif cuda=0 "
      "workdir=/work fakeroot=1 tmpfs=1 nohome=1 env: PYTHONPATH=/workspace/P:${PYTHONPATH} "
      "N=1 flags: --contain --bind /x binds: {data_root}/c d>/data/c d {data_root}/a>/data/a? "
      "{data_root}/b>/data/b");
}

TEST(Package, LoadsAFileOrTheFolderOfABenchmarkCheckout) {
  const TempFolder folder;
  folder.write("A.json", "\xef\xbb\xbf{\"image\": \"file\"}\r\n");
  folder.write("A/config.json", R"({"image": "folder"})");
  folder.write("B.x/config.json", R"({"image": "folder"})");
  EXPECT_EQ(load_package(folder.path(), "A").value().image, "file");
  EXPECT_EQ(load_package(folder.path(), "B.x").value().image, "folder");
  EXPECT_EQ(load_package(folder.path(), "B.x").value().name, "B.x");
}

TEST(Package, ThoseOfThisProjectLoad) {
  const std::string folder = std::string(TEST_SOURCE_DIR) + "/configs/packages";
  std::size_t packages = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const Result<Package> package = load_package(folder, file.path().stem().string());
    EXPECT_TRUE(package.ok()) << package.error().text;
    ++packages;
  }
  EXPECT_GE(packages, 5u);
}

struct RefusalCase {
  const char *json, *said;
};

TEST(PackageRefusals, AllOfThem) {
  const RefusalCase cases[] = {
      {"", "f:1:1: not valid JSON"},
      {"[]", "f: a list: expected an object"},
      {R"({"image": "a", "image": "b"})", "f: the key \"image\" is there twice"},
      {R"({"writeable_tmpfs": true})",
       "f: /writeable_tmpfs: unknown key; did you mean writable_tmpfs?"},
      {R"({"images": "x"})", "f: /images: unknown key; did you mean image"},
      {R"({"image": 1})", "f: /image: 1: expected a text of one line"},
      {R"({"image": "a\nb"})", "f: /image: \"a\\x0ab\": expected a text of one line"},
      {R"({"env": ["A=1"]})", "f: /env: a list: expected an object of variables"},
      {R"({"env": {"A": true}})", "f: /env/A: true: expected a text or a number"},
      {R"({"env": {"SLURM_X": "1"}})", "f: /env/SLURM_X: \"SLURM_X\": SLURM_* and SPANK_*"},
      {R"({"use_cuda": "yes"})", "f: /use_cuda: \"yes\": expected true or false"},
      {R"({"workdir": "workspace"})", "f: /workdir: \"workspace\": expected an absolute path"},
      {R"({"workdir": ""})", "f: /workdir: \"\": expected"},
      {R"({"fakeroot": null})", "f: /fakeroot: null: expected true or false"},
      {R"({"apptainer_flags": "--contain"})",
       "f: /apptainer_flags: \"--contain\": expected a list"},
      {R"({"apptainer_flags": [1]})", "f: /apptainer_flags/0: 1: expected a text"},
      {R"({"data_bind": {"a": "/b"}})", "f: /data_bind: an object: expected a list of binds"},
      {R"({"data_bind": [1]})", "f: /data_bind/0: 1: expected an object"},
      {R"({"data_bind": ["/a"]})",
       "f: /data_bind/0: \"/a\": expected \"host path:/container path\""},
      {R"({"data_bind": [":/a"]})", "f: /data_bind/0: \":/a\": expected"},
      {R"({"data_bind": ["/a:"]})", "f: /data_bind/0: \"/a:\": expected"},
      {R"({"data_bind": ["/a:b"]})", "f: /data_bind/0: \"/a:b\": expected"},
      {R"({"data_bind": ["/a:/b:ro"]})", "f: /data_bind/0: \"/a:/b:ro\": expected"},
      {R"({"data_deps": [{"container": "/a"}]})", "f: /data_deps/0: the key \"host\" is missing"},
      {R"({"data_deps": [{"host": "/a"}]})", "f: /data_deps/0: the key \"container\" is missing"},
      {R"({"data_deps": [{"host": "/a", "container": "b"}]})",
       "f: /data_deps/0/container: \"b\": expected an absolute path"},
      {R"({"data_deps": [{"host": "/a", "container": "/b", "optoinal": true}]})",
       "f: /data_deps/0/optoinal: unknown key; did you mean optional?"},
      {R"({"data_deps": [{"host": "/a", "container": "/b", "optional": 1}]})",
       "f: /data_deps/0/optional: 1: expected true or false"},
  };
  for (const RefusalCase& c : cases) {
    const Result<Package> package = parse_package(c.json, "P", "f");
    ASSERT_FALSE(package.ok()) << c.json;
    EXPECT_EQ(package.error().text.rfind(c.said, 0), 0u) << package.error().text;
    EXPECT_EQ(package.error().kind, ErrorKind::kTask);
  }
}

TEST(PackageRefusals, FilesAndNames) {
  const TempFolder folder;
  folder.write("nanoGPT.json", "{}");
  folder.write("verl/config.json", "{");
  const Error missing = load_package(folder.path(), "nanogpt").error();
  EXPECT_EQ(missing.text, "no package \"nanogpt\" in " + folder.path() +
                              " (neither NAME.json nor NAME/config.json); did you mean nanoGPT?");
  EXPECT_EQ(missing.kind, ErrorKind::kUsage);
  EXPECT_EQ(load_package(folder.path(), "verl")
                .error()
                .text.rfind(folder.path() + "/verl/config.json:1:2: not valid JSON", 0),
            0u);
  for (const char* name : {"", ".", "..", "../verl", "a/b", ".x", "a\n"}) {
    EXPECT_NE(load_package(folder.path(), name).error().text.find("not a package name"),
              std::string::npos);
  }
  EXPECT_FALSE(load_package(folder.path("absent"), "verl").ok());
}

}  // namespace
}  // namespace compute_scale
