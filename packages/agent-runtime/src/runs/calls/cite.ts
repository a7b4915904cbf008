import type { DocumentSource } from '@homeward/contract/agent-platform'
import { cut } from '../../json/to-json.ts'
import type { ToolResult } from '../../ports/message.ts'
import type { Tool } from '../../ports/tool.ts'
import type { Run } from '../loop/run.ts'
import { answerSources } from '../run-messages.ts'

/** Most passages that a run shows as sources. */
const maxSources = 100
const maxChars = 1000

/** A result with the passages that it rests on, those that the run has not shown yet. */
export function withSources(run: Run, tool: Tool, result: ToolResult): ToolResult {
  const known = answerSources(run.writer.messages).filter((source) => 'document_id' in source)
  const sources: DocumentSource[] = []
  for (const source of citedBy(tool, result)) {
    if (known.length + sources.length >= maxSources) break
    if (![...known, ...sources].some((one) => isSame(one, source))) sources.push(source)
  }
  return sources.length > 0 ? { ...result, sources: sources.map((one) => toShown(run, one)) } : result
}

/** A tool of an app that fails here has no sources. */
function citedBy(tool: Tool, { result }: ToolResult): readonly DocumentSource[] {
  try {
    return result === undefined ? [] : (tool.sourcesOf?.(result) ?? [])
  } catch {
    return []
  }
}

const isSame = (one: DocumentSource, other: DocumentSource) =>
  one.document_id === other.document_id && one.page === other.page && one.quote === other.quote

function toShown({ redact }: Run, { document_id: id, name, page, quote }: DocumentSource): DocumentSource {
  const shown = (text: string) => cut(redact.text(text), maxChars)
  return {
    document_id: cut(id, 200),
    name: shown(name),
    ...(page !== undefined && { page }),
    quote: shown(quote),
  }
}
