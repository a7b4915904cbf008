/* What the files of this agent share. README.md says how to run it. */
#ifndef DEVICE_H
#define DEVICE_H

#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* What came of a request. */
enum outcome {
  DONE,
  AGAIN,        /* the same request may succeed later */
  REFUSED,      /* the cloud will never take it */
  UNAUTHORIZED, /* the cloud does not accept the key */
};

/* How often something is done: `every` seconds, or once if that is 0. After a failure it has pauses of its own. */
struct job {
  enum outcome (*work)(struct job *job);
  char *id;   /* of the request from the cloud */
  char *text; /* search text, or path of the file */
  cJSON *scope;
  char *report; /* made once: every attempt sends the same */
  double every, due, wait;
  int failures;
};

extern char root[];
struct job *add_job(enum outcome (*work)(struct job *job), double every);
void pause_for(double seconds);

/* cloud.c */
long last_status(void);
enum outcome call(const char *path, const char *json, curl_mime *form, long hold, cJSON **answer, double *wait);
curl_mime *new_form(void);

/* searches.c and uploads.c */
void clean_utf8(char *text);
char *report_of(const struct job *job);
enum outcome upload_file(struct job *job);

#endif
