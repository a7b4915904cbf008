import type { ToolResult } from '../../ports/message.ts'
import type { Tool } from '../../ports/tool.ts'

/** Whether a call brought in content that a stranger may have made. A failure counts: its text may come from there. */
export function isUntrusted(tool: Tool, { result }: Pick<ToolResult, 'result'>): boolean {
  if (!tool.untrusted) return false
  if (tool.isUntrusted === undefined || result === undefined) return true
  try {
    return tool.isUntrusted(result)
  } catch {
    return true // a tool that cannot tell is not believed
  }
}
