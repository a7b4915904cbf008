import type { LoadedSkill } from '../skills/skill-library.ts'

const maxDescription = 1024

/** What the system prompt says about an agent's skills: only what is needed to know when to open one (A15). */
export function skillInstructions(parts: {
  readonly skills: ReadonlyMap<string, LoadedSkill>
  /** Skills that the agent names and nobody installed. */
  readonly missing: readonly string[]
  /** MCP servers that cannot be reached. */
  readonly missingServers: readonly string[]
  /** Whether the model can call `read_skill`. */
  readonly canOpen: boolean
}): string {
  const { skills, missing, missingServers, canOpen } = parts
  const lines: string[] = []
  if (skills.size > 0) {
    const how = canOpen ? ' Open one with read_skill before you use it the first time.' : ''
    lines.push(`You have these skills.${how}`)
    for (const skill of skills.values()) lines.push(`- ${titleOf(skill)}: ${oneLine(skill.description)}`)
  }
  if (missing.length > 0) lines.push(`Skills that are not available now: ${missing.join(', ')}.`)
  if (missingServers.length > 0)
    lines.push(`Tool servers that are not available now: ${missingServers.join(', ')}.`)
  return lines.join('\n')
}

function titleOf({ id, name }: LoadedSkill): string {
  return name === id ? id : `${id} (${oneLine(name).slice(0, 200)})`
}

/** A description keeps to its line: it cannot add a line of its own to the prompt. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxDescription)
}
