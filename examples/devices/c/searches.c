/* Finding files, and reports about them. */
#define _GNU_SOURCE
#include "device.h"
#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define MAX_ROWS 1000
#define MAX_REPORT (4 * 1024 * 1024)

static cJSON *rows;
static int row_count, unread_count;
static char words[4096];

/* Bytes of the character that begins here; 0 if it is not UTF-8. */
static int utf8_length(const unsigned char *at) {
  int length = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : at[0] >= 0xf0 && at[0] < 0xf5 ? 4 : 0;
  for (int next = 1; next < length; next++)
    if ((at[next] & 0xc0) != 0x80) return 0;
  if (at[0] == 0xe0 && at[1] < 0xa0) return 0;
  if (at[0] == 0xed && at[1] > 0x9f) return 0;
  if (at[0] == 0xf0 && at[1] < 0x90) return 0;
  if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
  return length;
}

/* Names may hold bytes that are not UTF-8, and JSON may not. */
void clean_utf8(char *text) {
  for (char *at = text; *at != 0;) {
    int length = utf8_length((unsigned char *)at);
    if (length == 0) *at = '?';
    at += length == 0 ? 1 : length;
  }
}

static int add_row(const char *path, const struct stat *facts, int kind, struct FTW *place) {
  if (kind == FTW_DNR) unread_count++;
  if (kind != FTW_F || !S_ISREG(facts->st_mode) || strcasestr(path + place->base, words) == NULL) return 0;
  if (++row_count > MAX_ROWS) return 1;
  char modified[40], *clean = strdup(path);
  struct tm utc;
  if (clean == NULL) return 1;
  clean_utf8(clean);
  strftime(modified, sizeof modified, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&facts->st_mtime, &utc));
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "path", clean);
  cJSON_AddStringToObject(row, "name", clean + place->base);
  cJSON_AddNumberToObject(row, "size", (double)facts->st_size);
  cJSON_AddStringToObject(row, "modified", modified);
  cJSON_AddItemToArray(rows, row);
  free(clean);
  return 0;
}

/* Regular files below the root whose names hold the words; follows no links. Counts folders that cannot be read. */
static void find_files(const char *query) {
  while (isspace((unsigned char)*query)) query++;
  snprintf(words, sizeof words, "%s", query);
  for (size_t length = strlen(words); length > 0 && isspace((unsigned char)words[length - 1]);) words[--length] = 0;
  row_count = unread_count = 0;
  nftw(root, add_row, 20, FTW_PHYS);
}

/* Runs a search; gives its report as JSON, which the caller frees. */
char *report_of(const struct job *job) {
  cJSON *report = cJSON_CreateObject(), *results = cJSON_AddObjectToObject(report, "results"), *scope;
  char missing[1100] = "";
  rows = NULL;
  row_count = 0;
  cJSON_AddStringToObject(report, "queryId", job->id);
  cJSON_ArrayForEach(scope, job->scope) {
    if (strcmp(scope->valuestring, "files") != 0) {
      size_t used = strlen(missing);
      snprintf(missing + used, sizeof missing - used, "%s %.60s", used == 0 ? "not provided:" : ",", scope->valuestring);
    } else if (rows == NULL) {
      rows = cJSON_AddArrayToObject(results, "files");
      find_files(job->text);
      struct stat facts;
      if (stat(root, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        size_t used = strlen(missing);
        snprintf(missing + used, sizeof missing - used, "%s files, the shared folder is not there", used == 0 ? "not provided:" : ",");
      } else if (unread_count > 0) { /* an empty answer would say that nothing is there */
        cJSON *unread = cJSON_CreateObject();
        cJSON_AddStringToObject(unread, "scope", "files");
        cJSON_AddStringToObject(unread, "reason", "denied");
        cJSON_AddNumberToObject(unread, "count", unread_count);
        cJSON_AddItemToArray(cJSON_AddArrayToObject(results, "unread"), unread);
      }
    }
  }
  clean_utf8(missing); /* it may be cut within a character */
  if (missing[0] != 0) cJSON_AddStringToObject(report, "error", missing);
  char *text = cJSON_PrintUnformatted(report);
  bool is_cut = row_count > MAX_ROWS;
  while (is_cut || (text != NULL && strlen(text) > MAX_REPORT)) {
    free(text);
    int keep = is_cut ? MAX_ROWS : cJSON_GetArraySize(rows) / 2;
    while (cJSON_GetArraySize(rows) > keep) cJSON_DeleteItemFromArray(rows, keep);
    cJSON_DeleteItemFromObject(results, "truncated");
    cJSON_AddTrueToObject(cJSON_AddObjectToObject(results, "truncated"), "files");
    text = cJSON_PrintUnformatted(report);
    is_cut = false;
  }
  cJSON_Delete(report);
  return text;
}
