import { answer } from './task.ts'

/** One of those that run the task. */
export interface Contender {
  /** Runs the task once. @returns the answer. */
  run(): Promise<string>
  close?(): Promise<void>
}

/** Builds a contender; imports are part of it, so that a process holds only its own. `home` is an empty folder. */
export type CreateContender = (home: string) => Promise<Contender>

/** Those that are part of the project, and those that bench/peers installs. */
export const ownContenders = ['bare-loop', 'memory', 'sqlite'] as const
export const peerContenders = [
  'ai-generate-text',
  'ai-unchecked',
  'ai-stream-text',
  'openai-agents',
  'langgraph',
  'mastra',
] as const
export type ContenderName = (typeof ownContenders)[number] | (typeof peerContenders)[number]

/** Loads a contender by its name. */
export async function loadContender(name: ContenderName, home: string): Promise<Contender> {
  const isPeer = (peerContenders as readonly string[]).includes(name)
  // By address, not by name: the types of the peers are there only where bench/peers is installed.
  const module = new URL(isPeer ? `../peers/contenders/${name}.ts` : `contenders/${name}.ts`, import.meta.url)
  const { createContender } = (await import(module.href)) as { createContender: CreateContender }
  const contender = await createContender(home)
  const given = await contender.run()
  if (given !== answer) throw new Error(`Trying ${name}: it answered ${JSON.stringify(given)}`)
  return contender
}
