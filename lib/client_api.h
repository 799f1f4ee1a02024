/* The C face of the library, which the SPANK plugin loads (dlopen) in sbatch, salloc and srun when
 * an option of ours is used. Plain data in, plain data out; nothing throws, nothing is kept. */
#ifndef COMPUTE_SCALE_LIB_CLIENT_API_H_
#define COMPUTE_SCALE_LIB_CLIENT_API_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of the structures below; compute_scale_client_decide refuses others. */
#define COMPUTE_SCALE_CLIENT_API_VERSION 2

/* An option of the request or a variable of the environment. A null value is "unset": in a request
 * "not given", in a decision "remove it". */
struct compute_scale_setting {
  const char* name;
  const char* value;
};

/* One option of the request as Slurm holds it, e.g. {"gres", "gres:gpu:4", 0}. Those that matter:
 * gres gpus gpus-per-node gpus-per-socket gpus-per-task tres-per-task tres-bind gpu-bind
 * nodes ntasks ntasks-per-node ntasks-per-socket ntasks-per-gpu ntasks-per-tres sockets-per-node
 * cpus-per-gpu mem-per-gpu partition; others are ignored, as is the value "unset".
 * Counts are passed where Slurm calls them set; `nodes` always (a node list alone fills it: "2-0"),
 * tres-per-task and tres-bind always (Slurm derives them from gpus-per-task without setting them).
 */
struct compute_scale_request_option {
  const char* name;
  const char* value;
  int from_environment; /* 1: it only repeats a variable (SLURM_GPUS …), nobody typed it */
};

/* All pointers may be null unless stated; nothing is kept after the call. */
struct compute_scale_client_input {
  int api_version;         /* COMPUTE_SCALE_CLIENT_API_VERSION */
  const char* command;     /* "sbatch", "salloc" or "srun"; never null */
  const char* site_config; /* path of the plugin's config= ; never null */
  const char* user_config; /* COMPUTE_SCALE_CONFIG: laid over the site's */
  const char* home;        /* for "~" in paths */
  const char* scale;       /* --compute-scale, by whatever way it was given */
  const char* entry;       /* --compute-entry */
  const char* unprofiled;  /* --compute-unprofiled */
  int in_allocation;       /* 1: srun that makes a step of an existing allocation */
  const char* job_payload; /* the payload variable of the surrounding job */
  int het_component;       /* 0 for a plain job or the first component */
  const struct compute_scale_request_option* request;
  size_t request_size;
  /* The environment of the command, in environ's form, for what a payload must put back. */
  const char* const* environment;
};

/* What the client is to do, in this order. */
struct compute_scale_client_decision {
  int refused; /* 1: print `message` as an error and exit with non-zero; nothing else is set */
  const char* message; /* one line for stderr without "compute-scale: " in front, or null */
  const char* comment; /* for the job's comment if that is free, or null */
  const char* record;  /* one word for the log, as audit_record.h has it, or null */
  const struct compute_scale_setting* request; /* options to set; never the untouched ones */
  size_t request_size;
  const struct compute_scale_setting* environment; /* variables to set or unset in the client */
  size_t environment_size;
};

/* Decides what becomes of a request. Never null; free it with compute_scale_client_free. */
const struct compute_scale_client_decision* compute_scale_client_decide(
    const struct compute_scale_client_input* input);

void compute_scale_client_free(const struct compute_scale_client_decision* decision);

#ifdef __cplusplus
}
#endif

#endif /* COMPUTE_SCALE_LIB_CLIENT_API_H_ */
