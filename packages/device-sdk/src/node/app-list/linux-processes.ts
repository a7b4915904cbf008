import { readdir, readlink, stat } from 'node:fs/promises'
import path from 'node:path'
import type { TolerantDisk } from '../disk/create-tolerant-disk.ts'
import { readPlainFile } from '../disk/read-plain-file.ts'
import { isInterpreter, toProgram } from './linux-program.ts'

/** A program that runs. */
export interface LinuxProcess {
  /** Its program's file name, and those of its binary and its script. Names of interpreters are left out. */
  readonly names: readonly string[]
  /** Its binary, where that may be read, or else what its command line names. */
  readonly file: string
  readonly args: readonly string[]
}

const maxCommandBytes = 64 * 1024

/** Reads the process table. Processes that end meanwhile, or do not respond, are left out. */
export async function readProcesses(procFolder: string, disk: TolerantDisk): Promise<LinuxProcess[]> {
  const pids = (await disk.try(procFolder, () => readdir(procFolder))) ?? []
  const processes: LinuxProcess[] = []
  for (const pid of pids) {
    if (!/^\d+$/.test(pid)) continue
    const folder = path.join(procFolder, pid)
    const commandFile = path.join(folder, 'cmdline')
    const content = await disk.try(commandFile, () => readPlainFile(commandFile, maxCommandBytes))
    // Only readable for the user's own processes.
    const at = path.join(folder, 'exe')
    const binary = await disk.try(at, () => readlink(at))
    const words = await toWords(content?.toString() ?? '', binary, disk)
    if (words.length > 0) processes.push(toProcess(words, binary))
  }
  return processes
}

/** Describes a process by the words of its command line and the link to its binary. */
export function toProcess(words: readonly string[], binary: string | undefined): LinuxProcess {
  const program = toProgram(words)
  const actual = binary?.replace(/ \(deleted\)$/, '')
  const names = [program?.file, actual]
    .filter((file) => file !== undefined)
    .map((file) => path.basename(file))
  return {
    names: names.filter((name) => !isInterpreter(name)),
    file: actual ?? program?.file ?? '',
    args: program?.args ?? [],
  }
}

/** Splits `/proc/<pid>/cmdline`: arguments, each ended by a NUL. Some programs write theirs anew, joined by spaces. */
async function toWords(
  commandLine: string,
  binary: string | undefined,
  disk: TolerantDisk,
): Promise<string[]> {
  const words = commandLine.split('\0').filter((word) => word !== '')
  const [first = ''] = words
  if (words.length !== 1 || !first.includes(' ') || first === binary) return words
  for (const end of [first.length, first.indexOf(' -')]) {
    if (end > 0 && (await isFile(first.slice(0, end), disk)))
      return [first.slice(0, end), ...first.slice(end).split(' ').filter(Boolean)]
  }
  return first.split(' ').filter(Boolean)
}

async function isFile(file: string, disk: TolerantDisk): Promise<boolean> {
  if (!path.isAbsolute(file)) return false
  return (await disk.try(file, () => stat(file)))?.isFile() ?? false
}
