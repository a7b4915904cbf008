/** The two parts of a SKILL.md. */
export interface SkillMarkdown {
  /** YAML text of the manifest. Undefined if the file has no manifest. */
  readonly manifest: string | undefined
  /** Instructions for the model: the rest of the document. */
  readonly body: string
}

/** YAML front matter at the start of a text. */
export const frontMatter = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/
const fenceStart = /^(`{3,}|~{3,})[ \t]*ya?ml\b.*$/im

/**
 * Splits a SKILL.md into manifest and instructions. The manifest is the YAML front matter (the open SKILL.md
 * standard), or else the first fenced `yaml` block.
 */
export function splitSkillMarkdown(text: string): SkillMarkdown {
  const front = frontMatter.exec(text)
  if (front) return { manifest: front[1] ?? '', body: text.slice(front[0].length).trim() }
  return splitAtFence(text) ?? { manifest: undefined, body: text.trim() }
}

/** Line of a SKILL.md at which its manifest starts, counted from 1. */
export function frontmatterLine(text: string): number {
  if (frontMatter.test(text)) return 2
  const start = fenceStart.exec(text)
  return start === null ? 1 : text.slice(0, start.index).split('\n').length + 1
}

/** The block ends at a line with the same fence; without one there is no block. */
function splitAtFence(text: string): SkillMarkdown | undefined {
  const start = fenceStart.exec(text)
  const [line = '', fence = ''] = start ?? []
  if (start === null) return undefined
  const from = start.index + line.length
  const end = new RegExp(`^${fence}[ \\t]*\\r?$`, 'm').exec(text.slice(from))
  if (end === null) return undefined
  const to = from + end.index
  const body = text.slice(0, start.index) + text.slice(to + end[0].length)
  return { manifest: text.slice(from, to).replace(/^\r?\n/, ''), body: body.trim() }
}
