/* Requests to the cloud. */
#define _GNU_SOURCE
#include "device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ANSWER (16 * 1024 * 1024)

static CURL *curl;
static long status;

struct text {
  char *bytes;
  size_t length;
};

static size_t append(char *bytes, size_t size, size_t count, void *to) {
  struct text *text = to;
  size_t length = size * count;
  if (text->length + length > MAX_ANSWER) return 0;
  char *grown = realloc(text->bytes, text->length + length + 1);
  if (grown == NULL) return 0;
  text->bytes = grown;
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = 0;
  return length;
}

/* Strings of C end at a zero byte. One in a path must not hide what follows it, so it becomes another character. */
static void replace_zero_bytes(char *json) {
  for (char *at = json; (at = strchr(at, '\\')) != NULL && at[1] != 0; at += 2)
    if (strncmp(at, "\\u0000", 6) == 0) memcpy(at, "\\ufffd", 6);
}

long last_status(void) { return status; }

static CURL *handle(void) {
  if (curl == NULL) curl = curl_easy_init();
  if (curl == NULL) abort();
  return curl;
}

curl_mime *new_form(void) { return curl_mime_init(handle()); }

static enum outcome judge(CURLcode code, double *wait) {
  curl_off_t seconds = 0;
  if (code != CURLE_OK) return AGAIN;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds); /* a number of seconds, or a date */
  *wait = seconds < 900 ? (double)seconds : 900;
  if (status == 401) return UNAUTHORIZED;
  if (status >= 400 && status < 500 && status != 408 && status != 425 && status != 429) return REFUSED;
  return status >= 200 && status < 300 ? DONE : AGAIN;
}

/*
 * A GET, or a POST of a JSON text or of a form. The cloud may hold its answer for `hold` seconds.
 * Gives the answer if it is a JSON object; the caller deletes it.
 */
enum outcome call(const char *path, const char *json, curl_mime *form, long hold, cJSON **answer, double *wait) {
  char url[4096], authorization[512], prefer[40];
  struct text text = {NULL, 0};
  struct curl_slist *headers = NULL;
  snprintf(url, sizeof url, "%s%s", getenv("CLOUD_URL"), path);
  snprintf(authorization, sizeof authorization, "Authorization: Bearer %s", getenv("DEVICE_API_KEY"));
  curl_easy_reset(handle());
  headers = curl_slist_append(headers, authorization);
  headers = curl_slist_append(headers, "Expect:"); /* the body is sent at once */
  if (json != NULL) {
    headers = curl_slist_append(headers, "Content-Type: application/json");
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, json);
  }
  if (form != NULL) curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);
  if (hold > 0) {
    snprintf(prefer, sizeof prefer, "Prefer: wait=%ld", hold);
    headers = curl_slist_append(headers, prefer);
  }
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L); /* the key must not travel to another address */
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 20L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L + hold);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &text);
  status = 0;
  *wait = 0;
  *answer = NULL;
  enum outcome outcome = judge(curl_easy_perform(curl), wait);
  if (outcome == DONE && text.bytes != NULL) {
    replace_zero_bytes(text.bytes);
    *answer = cJSON_Parse(text.bytes);
  }
  curl_slist_free_all(headers);
  free(text.bytes);
  if (outcome == DONE && !cJSON_IsObject(*answer)) { /* such as the page of a hotel network */
    cJSON_Delete(*answer);
    *answer = NULL;
    return AGAIN;
  }
  return outcome;
}
