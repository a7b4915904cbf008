/* Files that the cloud asks for. */
#define _GNU_SOURCE
#include "device.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_UPLOAD (100L * 1024 * 1024)

struct source {
  int file;
  curl_off_t left;
};

/* Opens a regular file inside the root; gives its descriptor, or -1 and the reason for the user. */
static int open_file(const char *asked, char *real, const char **reason, off_t *size) {
  char path[PATH_MAX];
  size_t length = strlen(root);
  struct stat facts;
  int written = snprintf(path, sizeof path, "%s%s%s", asked[0] == '/' ? "" : root, asked[0] == '/' ? "" : "/", asked);
  *reason = "the file cannot be found";
  if (written >= (int)sizeof path || realpath(path, real) == NULL) return -1; /* what is compared is what is opened */
  *reason = "policy_denied: the file lies outside of the shared folder";
  if (strncmp(real, root, length) != 0 || real[length] != '/') return -1;
  *reason = "the file cannot be opened";
  int file = open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC); /* a pipe must not hold up the agent */
  if (file < 0) return -1;
  if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= MAX_UPLOAD) {
    *size = facts.st_size;
    return file;
  }
  *reason = S_ISREG(facts.st_mode) ? "policy_denied: the file is too large" : "this is not a regular file";
  close(file);
  return -1;
}

/* A file that is shorter now breaks the attempt off. */
static size_t read_source(char *to, size_t size, size_t count, void *from) {
  struct source *source = from;
  size_t wanted = size * count;
  if ((curl_off_t)wanted > source->left) wanted = (size_t)source->left;
  if (wanted == 0) return 0;
  ssize_t got = read(source->file, to, wanted);
  if (got <= 0) return CURL_READFUNC_ABORT;
  source->left -= got;
  return (size_t)got;
}

/* Sends a form with the file, or with the reason why there is none. */
static enum outcome send_form(struct job *job, struct source *source, const char *name, const char *reason) {
  cJSON *answer;
  curl_mime *form = new_form();
  curl_mimepart *part = curl_mime_addpart(form);
  curl_mime_name(part, "requestId");
  curl_mime_data(part, job->id, CURL_ZERO_TERMINATED);
  part = curl_mime_addpart(form);
  curl_mime_name(part, source != NULL ? "file" : "error");
  if (source != NULL) {
    curl_mime_filename(part, name);
    curl_mime_type(part, "application/octet-stream");
    curl_mime_data_cb(part, source->left, read_source, NULL, NULL, source);
  } else {
    curl_mime_data(part, reason, CURL_ZERO_TERMINATED);
  }
  pause_for(0.2); /* at most 5 files a second */
  enum outcome outcome = call("/api/devices/files/upload", NULL, form, 0, &answer, &job->wait);
  if (outcome == DONE && !cJSON_IsBool(cJSON_GetObjectItem(answer, "success"))) outcome = AGAIN;
  cJSON_Delete(answer);
  curl_mime_free(form);
  return outcome;
}

enum outcome upload_file(struct job *job) {
  char real[PATH_MAX];
  const char *reason;
  off_t size = 0;
  struct source source = {open_file(job->text, real, &reason, &size), 0};
  if (source.file < 0) return send_form(job, NULL, NULL, reason);
  source.left = size;
  clean_utf8(real);
  enum outcome outcome = send_form(job, &source, strrchr(real, '/') + 1, NULL);
  close(source.file);
  if (outcome == REFUSED && last_status() == 413) return send_form(job, NULL, NULL, "the file is larger than the cloud accepts");
  return outcome;
}
