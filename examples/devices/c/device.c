/* A device agent on libcurl and cJSON: what is done when. README.md says how to run it. */
#define _GNU_SOURCE
#include "device.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define MAX_KNOWN 10000

char root[PATH_MAX];
static double interval = 30; /* seconds between requests that are not held */
static double hold = 270;    /* seconds for which the cloud may hold the request for all work */
static struct job **jobs;
static size_t job_count;
static char *known[MAX_KNOWN]; /* ids of requests that were taken, the oldest is replaced */
static size_t known_count;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void pause_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
  if (seconds > 0) nanosleep(&time, NULL);
}

struct job *add_job(enum outcome (*work)(struct job *job), double every) {
  struct job *job = calloc(1, sizeof *job);
  jobs = realloc(jobs, (job_count + 1) * sizeof *jobs);
  if (job == NULL || jobs == NULL) abort();
  job->work = work;
  job->every = every;
  job->due = now();
  jobs[job_count++] = job;
  return job;
}

static void remove_job(struct job *job) {
  for (size_t at = 0; at < job_count; at++)
    if (jobs[at] == job) jobs[at] = jobs[--job_count];
  free(job->id);
  free(job->text);
  free(job->report);
  cJSON_Delete(job->scope);
  free(job);
}

static bool is_known(const char *id) {
  for (size_t at = 0; at < known_count && at < MAX_KNOWN; at++)
    if (strcmp(known[at], id) == 0) return true;
  return false;
}

static enum outcome send_report(struct job *job) {
  cJSON *answer;
  if (job->report == NULL) job->report = report_of(job);
  if (job->report == NULL) return AGAIN;
  pause_for(0.1); /* at most 10 reports a second */
  enum outcome outcome = call("/api/devices/search", job->report, NULL, 0, &answer, &job->wait);
  const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(answer, "queryId"));
  bool is_right = cJSON_IsBool(cJSON_GetObjectItem(answer, "success")) && id != NULL && strcmp(id, job->id) == 0;
  cJSON_Delete(answer);
  return outcome == DONE && !is_right ? AGAIN : outcome;
}

static bool are_texts(const cJSON *list) {
  const cJSON *each;
  cJSON_ArrayForEach(each, list) if (!cJSON_IsString(each)) return false;
  return cJSON_IsArray(list);
}

/* Takes a listed request that is new, and says whether it was. One of another form than the documented is left alone. */
static bool take(const cJSON *request, const char *text_name, enum outcome (*work)(struct job *job)) {
  const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(request, "id"));
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(request, text_name));
  const cJSON *scope = cJSON_GetObjectItem(request, "scope");
  if (id == NULL || text == NULL || (work == send_report && !are_texts(scope)) || is_known(id)) return false;
  struct job *job = add_job(work, 0);
  job->id = strdup(id);
  job->text = strdup(text);
  job->scope = cJSON_Duplicate(scope, true);
  if (known_count >= MAX_KNOWN) free(known[known_count % MAX_KNOWN]);
  known[known_count++ % MAX_KNOWN] = strdup(id);
  return true;
}

static int take_searches(const cJSON *requests) {
  const cJSON *request;
  int count = 0, taken = 0;
  cJSON_ArrayForEach(request, requests) if (count++ < 100) taken += take(request, "query", send_report);
  return taken;
}

static int take_uploads(const cJSON *requests) {
  const cJSON *request;
  int count = 0, taken = 0;
  cJSON_ArrayForEach(request, requests) if (count++ < 100) taken += take(request, "filePath", upload_file);
  return taken;
}

static cJSON *body_with_facts(void) {
  struct utsname facts;
  cJSON *body = cJSON_CreateObject(), *metadata = cJSON_AddObjectToObject(body, "metadata"), *scope = cJSON_CreateObject();
  uname(&facts);
  cJSON_AddStringToObject(metadata, "os", facts.sysname);
  cJSON_AddStringToObject(metadata, "version", facts.release);
  cJSON_AddStringToObject(metadata, "hardware", facts.machine);
  cJSON_AddStringToObject(scope, "name", "files");
  cJSON_AddItemToArray(cJSON_AddArrayToObject(metadata, "scopes"), scope);
  return body;
}

/* What an older cloud needs instead of the request for all work. */

static enum outcome poll(struct job *job, const char *path, int (*take_all)(const cJSON *requests)) {
  cJSON *answer;
  enum outcome outcome = call(path, NULL, NULL, 0, &answer, &job->wait);
  const cJSON *requests = cJSON_GetObjectItem(answer, "requests");
  if (outcome == DONE && !cJSON_IsArray(requests)) outcome = AGAIN;
  if (outcome == DONE) take_all(requests);
  cJSON_Delete(answer);
  return outcome;
}

static enum outcome poll_searches(struct job *job) { return poll(job, "/api/devices/search/pending", take_searches); }

static enum outcome poll_uploads(struct job *job) {
  return poll(job, "/api/devices/files/upload-requests/pending", take_uploads);
}

static enum outcome heartbeat(struct job *job) {
  cJSON *answer, *body = body_with_facts();
  char *json = cJSON_PrintUnformatted(body);
  enum outcome outcome = call("/api/devices/heartbeat", json, NULL, 0, &answer, &job->wait);
  if (outcome == DONE && !cJSON_IsBool(cJSON_GetObjectItem(answer, "success"))) outcome = AGAIN;
  cJSON_Delete(answer);
  cJSON_Delete(body);
  free(json);
  return outcome;
}

static struct job *polls[3]; /* all of them, or none */

static void set_polling(bool is_polling) {
  enum outcome (*works[])(struct job *job) = {heartbeat, poll_searches, poll_uploads};
  for (size_t at = 0; at < 3; at++) {
    if (is_polling == (polls[at] != NULL)) continue;
    if (!is_polling) remove_job(polls[at]);
    polls[at] = is_polling ? add_job(works[at], interval) : NULL;
  }
}

/* Asks for everything that waits, and is the heartbeat. `every` says when it comes again. */
static enum outcome ask_for_work(struct job *job) {
  double wait = hold, asked = now();
  cJSON *answer, *body = body_with_facts(), *working = cJSON_AddArrayToObject(body, "working");
  for (size_t at = 0; at < job_count; at++) {
    if (jobs[at]->id == NULL) continue; /* the others are to be sent again later */
    cJSON_AddItemToArray(working, cJSON_CreateString(jobs[at]->id));
    wait = fmin(wait, jobs[at]->due - asked);
  }
  char *json = cJSON_PrintUnformatted(body);
  cJSON_Delete(body);
  job->every = fmax(wait, 0.1);
  enum outcome outcome = DONE;
  if (wait >= 1) {
    outcome = call("/api/devices/work", json, NULL, (long)wait, &answer, &job->wait);
    const cJSON *searches = cJSON_GetObjectItem(answer, "searches"), *uploads = cJSON_GetObjectItem(answer, "uploads");
    if (outcome == DONE && (!cJSON_IsArray(searches) || !cJSON_IsArray(uploads))) outcome = AGAIN;
    if (outcome == REFUSED && (last_status() == 404 || last_status() == 405)) {
      set_polling(true);
      job->every = 3600; /* the cloud may be updated meanwhile */
      outcome = DONE;
    } else if (outcome == DONE) {
      set_polling(false);
      int taken = take_searches(searches) + take_uploads(uploads);
      job->every = taken > 0 || now() - asked >= wait / 2 ? 0.001 : interval;
    } else {
      job->every = interval;
      if (now() - asked > 50) hold = 50; /* something on the way ends quiet connections */
    }
    cJSON_Delete(answer);
  }
  free(json);
  return outcome;
}

/* Grows from a sixth of the interval to four intervals, and is random, so that a fleet does not return at once. */
static double pause_of(int failures) {
  double pause = fmin(interval / 6 * pow(2, failures - 1), interval * 4);
  return pause * (1 + (double)random() / RAND_MAX / 2);
}

static void run(struct job *job) {
  static int refusals;
  enum outcome outcome = job->work(job);
  if (outcome != DONE) printf("request failed with status %ld\n", last_status());
  fflush(stdout);
  if (outcome == UNAUTHORIZED) { /* somebody deleted the device or changed its key: be quiet, and work again if the key does */
    pause_for(fmin(1800, 300 * pow(2, refusals++)));
    return;
  }
  if (outcome != AGAIN) job->failures = 0;
  if (outcome == DONE) refusals = 0;
  if (outcome == AGAIN) job->due = now() + fmax(pause_of(++job->failures), job->wait);
  else if (job->every > 0) job->due = now() + job->every;
  else remove_job(job);
}

int main(void) {
  const char *folder = getenv("DEVICE_ROOT"), *milliseconds = getenv("DEVICE_INTERVAL_MS");
  if (!getenv("CLOUD_URL") || !getenv("DEVICE_API_KEY") || !folder || realpath(folder, root) == NULL) {
    fprintf(stderr, "Starting failed: set CLOUD_URL, DEVICE_API_KEY and DEVICE_ROOT, which must be a folder.\n");
    return 2;
  }
  if (milliseconds != NULL && atof(milliseconds) > 0) interval = atof(milliseconds) / 1000;
  srandom((unsigned)time(NULL) ^ (unsigned)getpid());
  curl_global_init(CURL_GLOBAL_DEFAULT);
  add_job(ask_for_work, interval);
  for (;;) {
    struct job *next = jobs[0];
    for (size_t at = 1; at < job_count; at++)
      if (jobs[at]->due < next->due) next = jobs[at];
    pause_for(next->due - now());
    run(next);
  }
}
