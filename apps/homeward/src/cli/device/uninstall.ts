import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { openOutput, type Output } from '../output.ts'
import { isRunning, readContact } from './contact-file.ts'
import type { InstallOptions } from './install.ts'
import { runSteps, stageSteps } from './service/run-steps.ts'
import { findService, type Service } from './service/service.ts'
import type { ServiceStep } from './service/service-step.ts'
import { showSteps } from './service/show-steps.ts'
import { findStateFolder } from './state-folder.ts'

/** Options of `homeward device uninstall`. */
export interface UninstallOptions extends Omit<InstallOptions, 'root' | 'user'> {
  readonly yes?: boolean
}

const attempt = 'Removing the service'

/** What an agent leaves in its state folder. Nothing else in the folder is touched. */
const stateNames = ['device-key', 'pairing.json', 'contact.json', 'outbox', 'agent.log'] as const

/** Removes the service, and, if the user agrees, the key and everything else that the agent has stored. */
export async function uninstallDevice(options: UninstallOptions, cli: Cli): Promise<void> {
  const output = openOutput(cli, options)
  const service = findService(options.service, cli.environment)
  const { folder } = findStateFolder(options.state, cli.environment, true)
  const names = await ownFiles(folder)
  const plan = (keepsState: boolean): readonly ServiceStep[] => [
    ...service.planRemoval(keepsState),
    ...(keepsState ? [] : names.map((name) => ({ do: 'remove' as const, path: join(folder, name) }))),
  ]
  if (options.dryRun) return showSteps(plan(options.yes !== true && names.length > 0), output)
  if (options.rootDir !== undefined) {
    const staged = resolve(options.rootDir)
    await stageSteps(staged, service.planRemoval(true))
    return output.result({ removed: true, staged }, () => `Removed from ${staged}.`)
  }
  assertRights(service)
  const removesState = options.yes === true || (names.length > 0 && (await askForKey(folder, cli)))
  if (removesState && !existsSync(service.path)) await assertStopped(folder)
  await runSteps(attempt, plan(names.length > 0 && !removesState), output.progress)
  if (removesState) await removeFolder(folder)
  tellResult(folder, names.length > 0 && !removesState, output)
}

async function ownFiles(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder).catch(() => [])
  const known: readonly string[] = stateNames
  return found.filter((name) => known.includes(name) || /^audit|\.lock/.test(name))
}

function assertRights({ kind, path }: Service): void {
  if (kind !== 'systemd' || !existsSync(path) || process.getuid?.() === 0) return
  throw new CliError(`${attempt} failed: the command needs root rights. Run it with sudo.`)
}

/** An agent that no service started goes on working, with a key that is gone. */
async function assertStopped(folder: string): Promise<void> {
  const contact = await readContact(folder).catch(() => undefined)
  if (contact === undefined || !isRunning(contact)) return
  throw new CliError(`${attempt} failed: process ${contact.pid} runs the agent. Stop it, then try again.`)
}

/** Without a terminal nobody can agree, so the key stays. */
async function askForKey(folder: string, { stdin, stderr }: Cli): Promise<boolean> {
  if (stdin.isTTY !== true) return false
  const terminal = createInterface({ input: stdin, output: stderr })
  try {
    const answer = await terminal.question(
      `Delete the key of this device in ${folder}? To be used again, it has to be paired again. [y/N] `,
    )
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

/** Only an empty folder: what others have put there stays. */
async function removeFolder(folder: string): Promise<void> {
  const left = await readdir(folder).catch(() => undefined)
  if (left?.length === 0) await rm(folder, { recursive: true })
}

function tellResult(state: string, hasKey: boolean, output: Output): void {
  output.result({ removed: true, keyKept: hasKey }, () =>
    hasKey
      ? `The service is gone. The key of this device stays in ${state}; "homeward device uninstall --yes" deletes it.`
      : 'The service, the key and the state of this device are gone. In the pages, delete the device itself.',
  )
}
