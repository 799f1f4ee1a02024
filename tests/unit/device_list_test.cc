#include "device_list.h"

#include <gtest/gtest.h>

#include "text.h"

namespace compute_scale {
namespace {

std::string show(const Result<DeviceList>& devices) {
  return devices.ok() ? join(*devices, " ") : devices.error().text;
}

const std::string kExpected = ": expected a count (8) or a list of devices (0,2 or GPU-… or MIG-…)";

TEST(DeviceList, Gpus) {
  const struct {
    const char* text;
    std::string devices;
  } cases[] = {
      {"3", "0 1 2"},
      {"0", ""},
      {"3,", "3"},
      {"0,2", "0 2"},
      {"GPU-ab12,2", "GPU-ab12 2"},
      {"MIG-41b3,MIG-GPU-8932/1/2", "MIG-41b3 MIG-GPU-8932/1/2"},
      {"", "--gpus \"\"" + kExpected},
      {",", "--gpus \",\"" + kExpected},
      {"-1", "--gpus \"-1\"" + kExpected},
      {"0,,1", "--gpus \"0,,1\"" + kExpected},
      {"GPU-", "--gpus \"GPU-\"" + kExpected},
      {"a100", "--gpus \"a100\"" + kExpected},
      {"0.5", "--gpus \"0.5\"" + kExpected},
      {"1025", "--gpus \"1025\"" + kExpected},
      {"1,2,1", "--gpus \"1,2,1\": device \"1\" comes twice"},
  };
  for (const auto& c : cases) EXPECT_EQ(show(parse_gpus(c.text)), c.devices) << c.text;
}

TEST(DeviceList, VisibleDevices) {
  const struct {
    const char* text;
    const char* devices;
  } cases[] = {
      {"", ""},
      {"NoDevFiles", ""},
      {"-1", ""},
      {"0,1,-1,2", "0 1"},
      {"4, 5", "4 5"},
      {"GPU-a,GPU-b", "GPU-a GPU-b"},
      {"MIG-7f", "MIG-7f"},
      {"0,0", "CUDA_VISIBLE_DEVICES=\"0,0\": device \"0\" comes twice"},
  };
  for (const auto& c : cases) EXPECT_EQ(show(parse_visible_devices(c.text)), c.devices) << c.text;
}

TEST(DeviceList, NvidiaSmi) {
  EXPECT_EQ(show(parse_nvidia_smi("GPU 0: NVIDIA H200 (UUID: GPU-aa)\n"
                                  "GPU 1: NVIDIA H200 (UUID: GPU-bb)\n")),
            "0 1");
  EXPECT_EQ(show(parse_nvidia_smi("GPU 0: NVIDIA A100 (UUID: GPU-aa)\r\n"
                                  "  MIG 3g.20gb     Device  0: (UUID: MIG-c1)\r\n"
                                  "  MIG 1g.5gb      Device  1: (UUID: MIG-c2)\r\n"
                                  "GPU 1: NVIDIA A100 (UUID: GPU-bb)\r\n")),
            "MIG-c1 MIG-c2 1");
  EXPECT_EQ(show(parse_nvidia_smi("No devices were found\n")), "");
  EXPECT_EQ(show(parse_nvidia_smi("")), "");
}

}  // namespace
}  // namespace compute_scale
