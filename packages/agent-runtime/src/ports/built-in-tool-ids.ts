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
  'ask_user',
  'search_documents',
  'run_code',
])

/** The tool that finds deferred tools: those that an agent has, and that are not in its prompt. */
export const searchToolId = 'tool_search'

/** The tool by which a model calls a deferred tool. */
export const callToolId = 'call_tool' as const

/** Ids that tools of skills and of apps cannot have. */
export const reservedToolIds: ReadonlySet<string> = new Set([...builtInToolIds, searchToolId, callToolId])
