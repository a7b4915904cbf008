import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SkillCapabilities } from '@homeward/contract/agent-platform'
import {
  type SkillCapabilities as FileCapabilities,
  skillCapabilities,
  type SkillFile,
} from '@homeward/skill-store-client'

/** Files in which a skill says what it asks for. */
const declaring = ['SKILL.md', 'skill.yaml', 'tools.yaml']

/** What the skill of a folder asks for. The folder was loaded before: its files are small and can be read. */
export async function readCapabilities(folder: string): Promise<SkillCapabilities> {
  const files = await Promise.all(declaring.map((path) => readOne(folder, path)))
  return toCapabilities(skillCapabilities(files.flatMap((file) => file ?? [])))
}

/** The lists as the interface has them, where they may be written to. */
export function toCapabilities({ tools, hosts, commands, env }: FileCapabilities): SkillCapabilities {
  return { tools: [...tools], hosts: [...hosts], commands: [...commands], env: [...env] }
}

async function readOne(folder: string, path: string): Promise<SkillFile | undefined> {
  const bytes = await readFile(join(folder, path)).catch(() => undefined)
  return bytes && { path, bytes }
}
