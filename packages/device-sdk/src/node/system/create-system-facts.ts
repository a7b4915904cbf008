import type { SystemFacts } from '@homeward/contract/device-cloud'
import { statfs } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { SearchProvider } from '../../ports/search-provider.ts'
import { toSizeText } from './to-size-text.ts'
import { untilAborted } from '@homeward/kit'

/** The part of `systeminformation` that is used when it is installed. */
export interface SystemInformation {
  /** The processor. */
  cpu(): Promise<{ manufacturer: string; brand: string; physicalCores: number; cores: number }>
  /** Mounted file systems, in bytes. */
  fsSize(): Promise<readonly { mount: string; size: number; available: number }[]>
}

/** What {@link createSystemFacts} needs to know. */
export interface SystemFactsOptions {
  /** An own copy of `systeminformation`, or false to do without. @default the installed one, if any */
  readonly systemInformation?: SystemInformation | false
  /** A path on the disk to report when there is no `systeminformation`. @default the root of the home folder's disk */
  readonly diskPath?: string
}

/**
 * Describes processor, memory and disks for people: the provider for the scope `system`.
 *
 * Uses `systeminformation` when it is installed, for the processor's name and for every disk; works without.
 * The search text does not matter.
 *
 * @example
 * createDeviceAgent({ providers: { system: createSystemFacts() } })
 */
export function createSystemFacts(options: SystemFactsOptions = {}): SearchProvider<SystemFacts> {
  const { diskPath = path.parse(os.homedir()).root } = options
  return async ({ signal }) => {
    signal.throwIfAborted()
    return { found: await untilAborted(readFacts(options.systemInformation, diskPath), signal) }
  }
}

async function readFacts(
  given: SystemInformation | false | undefined,
  diskPath: string,
): Promise<SystemFacts> {
  const library = given ?? (await loadSystemInformation())
  const [cpu, disk] = await Promise.all([describeCpu(library), describeDisks(library, diskPath)])
  return { cpu, memory: `${toSizeText(os.freemem())} free of ${toSizeText(os.totalmem())}`, disk }
}

async function loadSystemInformation(): Promise<SystemInformation | false> {
  try {
    return (await import('systeminformation')).default
  } catch {
    return false
  }
}

async function describeCpu(library: SystemInformation | false): Promise<string> {
  try {
    if (library !== false) {
      const { manufacturer, brand, cores } = await library.cpu()
      const name = `${manufacturer} ${brand}`.trim()
      if (name !== '' && cores > 0) return `${name}, ${coresText(cores)}`
    }
  } catch {
    // What Node knows by itself is less, but it is there.
  }
  const processors = os.cpus()
  const model = processors[0]?.model.trim() || os.arch()
  return `${model}, ${coresText(processors.length || os.availableParallelism())}`
}

const coresText = (cores: number): string => `${cores} ${cores === 1 ? 'core' : 'cores'}`

const maxDisks = 16

async function describeDisks(library: SystemInformation | false, diskPath: string): Promise<string> {
  try {
    const disks = library === false ? [] : (await library.fsSize()).filter(({ size }) => size > 0)
    if (disks.length > 0)
      return disks
        .slice(0, maxDisks)
        .map(({ mount, size, available }) => `${mount}: ${toSizeText(available)} free of ${toSizeText(size)}`)
        .join('; ')
  } catch {
    // As above.
  }
  try {
    const { bavail, blocks, bsize } = await statfs(diskPath)
    return `${diskPath}: ${toSizeText(bavail * bsize)} free of ${toSizeText(blocks * bsize)}`
  } catch {
    return 'unknown'
  }
}
