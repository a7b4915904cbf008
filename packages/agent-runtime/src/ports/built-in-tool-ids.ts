/** Ids of the built-in tools (A18), which no skill may take. */
export const builtInToolIds: ReadonlySet<string> = new Set([
  'time',
  'memory_search',
  'memory_write',
  'list_files',
  'read_file',
  'write_file',
  'run_agent',
  'read_skill',
  'web_fetch',
  'send_message',
])
