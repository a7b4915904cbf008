/** Tools that every agent has (A18): the interface does not list them. */
export const builtInTools = [
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
] as const
