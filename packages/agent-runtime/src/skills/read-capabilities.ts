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

/**
 * What the skill of a folder asks for. The folder was loaded before: its files are small and can be read.
 *
 * @param baseHost Host that it talks to as it is configured.
 */
export async function readCapabilities(
  folder: string,
  baseHost: string | null | undefined,
): Promise<SkillCapabilities> {
  const files = await Promise.all(declaring.map((path) => readOne(folder, path)))
  const declared = toCapabilities(skillCapabilities(files.flatMap((file) => file ?? [])))
  return { ...declared, hosts: [...new Set([...declared.hosts, ...(baseHost ? [baseHost] : [])])].toSorted() }
}

/** The lists as the interface has them, where they may be written to. */
export function toCapabilities({ tools, hosts, commands, env }: FileCapabilities): SkillCapabilities {
  return { tools: [...tools], hosts: [...hosts], commands: [...commands], env: [...env] }
}

async function readOne(folder: string, path: string): Promise<SkillFile | undefined> {
  const bytes = await readFile(join(folder, path)).catch(() => undefined)
  return bytes && { path, bytes }
}
