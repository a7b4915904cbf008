import type { SystemFacts } from '@homeward/contract/device-cloud'
import { untilAborted, withTimeout } from '@homeward/kit'
import { statfs } from 'node:fs/promises'
import os from 'node:os'
import type { SearchProvider } from '../../ports/search-provider.ts'
import { providerDisk } from '../disk/lanes.ts'
import { describeDisks, describeMount, type Mount } from './describe-disks.ts'
import { toSizeText } from './to-size-text.ts'

/** The part of `systeminformation` that is used. */
export interface SystemInformation {
  /** Returns facts about the processor. */
  cpu(): Promise<{ manufacturer: string; brand: string; physicalCores: number; cores: number }>
  /**
   * Returns mounted file systems with sizes in bytes. With `fs` and `type`, duplicates and file systems in memory are
   * left out.
   */
  fsSize(): Promise<readonly { mount: string; size: number; available: number; fs?: string; type?: string }[]>
}

/** Options of {@link createSystemFacts}. */
export interface SystemFactsOptions {
  /** Your own copy of `systeminformation`, or false to use none. @default the installed package, if any */
  readonly systemInformation?: SystemInformation | false
  /** Path on the disk to report if `systeminformation` is not installed. @default the home folder */
  readonly diskPath?: string
}

/** How long an answer of the library, or of a disk, is waited for. */
const patienceMs = 4000

/**
 * Creates the provider for the scope `system`: describes processor, memory and disks for people.
 *
 * If `systeminformation` is installed, it provides the processor's name and all disks. Without it, or if it takes
 * longer than 4 seconds, the facts come from Node. A disk that does not respond is `unknown`. The search text is
 * ignored.
 *
 * @example
 * createDeviceAgent({ providers: { system: createSystemFacts() } })
 */
export function createSystemFacts(options: SystemFactsOptions = {}): SearchProvider<SystemFacts> {
  const { systemInformation, diskPath } = options
  // A call that hangs has started programs which hang too: none is made beside it.
  const cpu = shareCall(async () => describeLibraryCpu(systemInformation ?? (await loadLibrary())))
  const disks = shareCall(async () => describeLibraryDisks(systemInformation ?? (await loadLibrary())))
  return async ({ signal }) => {
    signal.throwIfAborted()
    const facts = Promise.all([cpu(), disks(), describeDisk(diskPath, signal)])
    const [processor, all, one] = await untilAborted(facts, signal)
    return {
      found: { cpu: processor || describeCpu(os.cpus()), memory: describeMemory(), disk: all || one },
    }
  }
}

/** Calls `work`, or waits for the call under way. Gives nothing when it fails or takes too long. */
function shareCall(work: () => Promise<string>): () => Promise<string | undefined> {
  let running: Promise<string> | undefined
  return () => {
    running ??= work()
      .catch(() => '')
      .finally(() => (running = undefined))
    return withTimeout(running, patienceMs)
  }
}

async function loadLibrary(): Promise<SystemInformation | false> {
  try {
    return (await import('systeminformation')).default
  } catch {
    return false
  }
}

async function describeLibraryCpu(library: SystemInformation | false): Promise<string> {
  if (library === false) return ''
  const { manufacturer, brand, cores } = await library.cpu()
  const name = `${manufacturer} ${brand}`.trim()
  return isUnknown(name) || !(cores > 0) ? '' : `${name}, ${coresText(cores)}`
}

async function describeLibraryDisks(library: SystemInformation | false): Promise<string> {
  return library === false ? '' : describeDisks(await library.fsSize())
}

/** The processor as Node knows it. Node's model is empty, or the word "unknown", on many ARM boards. */
export function describeCpu(processors: readonly { readonly model: string }[]): string {
  const model = processors[0]?.model.trim() ?? ''
  const name = isUnknown(model) ? os.arch() : model
  return `${name}, ${coresText(processors.length || os.availableParallelism())}`
}

const isUnknown = (name: string): boolean => /^(?:unknown)?$/i.test(name)

const coresText = (cores: number): string => `${cores} ${cores === 1 ? 'core' : 'cores'}`

function describeMemory(): string {
  // On macOS `os.freemem()` counts empty pages only. Other runtimes may lack the better function.
  const available: (() => number) | undefined = process.availableMemory?.bind(process)
  return `${toSizeText(available?.() ?? os.freemem())} free of ${toSizeText(os.totalmem())}`
}

async function describeDisk(diskPath: string | undefined, signal: AbortSignal): Promise<string> {
  const at = diskPath ?? os.homedir()
  const reading = providerDisk.run({ at, work: () => statfs(at) }, signal).catch(() => undefined)
  const found = await withTimeout(reading, patienceMs)
  if (!found) return 'unknown'
  const { bavail, blocks, bsize } = found
  const mount: Mount = { mount: diskPath ?? 'home folder', size: blocks * bsize, available: bavail * bsize }
  return describeMount(mount)
}
