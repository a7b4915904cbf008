/** A SKILL.md in its two parts. */
export interface SkillMarkdown {
  /** YAML text of the manifest; undefined when there is none. */
  readonly manifest: string | undefined
  /** Instructions for the model: the rest of the document. */
  readonly body: string
}

const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n|$)/
const fencedYaml = /^(`{3,}|~{3,})[ \t]*ya?ml\b[^\n]*\r?\n([\s\S]*?)^\1[ \t]*$\r?\n?/im

/** Parts a SKILL.md: YAML front matter (the open SKILL.md standard), else its first fenced `yaml` block (A15). */
export function splitSkillMarkdown(text: string): SkillMarkdown {
  const front = frontMatter.exec(text)
  if (front) return { manifest: front[1] ?? '', body: text.slice(front[0].length).trim() }
  const fenced = fencedYaml.exec(text)
  if (!fenced) return { manifest: undefined, body: text.trim() }
  const body = text.slice(0, fenced.index) + text.slice(fenced.index + fenced[0].length)
  return { manifest: fenced[2] ?? '', body: body.trim() }
}
