import path from 'node:path'
import type { LinuxProcess } from './linux-processes.ts'
import type { LinuxProgram } from './linux-program.ts'

/** An application's program as it is on the disk. */
export interface KnownProgram extends LinuxProgram {
  /** Its file after all links, where it was found. */
  readonly realFile: string | undefined
  /** Whether other applications start the same program with other arguments. */
  readonly isShared: boolean
}

/** Whether one of the processes is this application. False also when nobody can tell. */
export function isRunning(program: KnownProgram, processes: readonly LinuxProcess[], home: string): boolean {
  // An address is for another program to open: a launcher that runs is not the game that it can start.
  if (program.args.some((arg) => /^[a-z][\w+.-]*:\/\//i.test(arg))) return false
  // Arguments that are no options choose what is run; options do where several applications share one program.
  const wanted = program.args.filter(
    (arg) => program.isShared || !arg.startsWith('-') || /^--app(?:-id)?=/.test(arg),
  )
  return processes.some(
    (process) => isOf(process, program, home) && wanted.every((arg) => process.args.includes(arg)),
  )
}

function isOf({ names, file }: LinuxProcess, program: KnownProgram, home: string): boolean {
  if (names.includes(path.basename(program.file))) return true
  const snap = /^\/snap\/bin\/([^/.]+)/.exec(program.file)?.[1]
  if (snap !== undefined) return file.startsWith(`/snap/${snap}/`)
  const own = program.realFile === undefined ? undefined : toOwnFolder(program.realFile, home)
  if (own === undefined) return false
  return own.isWhole ? file.startsWith(`${own.folder}/`) : path.dirname(file) === own.folder
}

/** Folders that many programs share. */
const shared =
  /^(?:bin|sbin|games|libexec|lib\d*|\.local|share|local|opt|usr|applications|downloads|desktop|[^/]+-linux-gnu\w*)$/i

/**
 * The folder that belongs to a program alone, such as `/opt/google/chrome`: what runs from there is the program, whatever
 * its name. With a folder `bin` of its own it is the one above, with all that lies below it.
 */
function toOwnFolder(realFile: string, home: string): { folder: string; isWhole: boolean } | undefined {
  const direct = path.dirname(realFile)
  const isWhole = path.basename(direct) === 'bin'
  const folder = isWhole ? path.dirname(direct) : direct
  const parts = folder.split('/').filter(Boolean)
  const isHome = folder === home || (parts[0] === 'home' && parts.length < 3)
  const isPrivate = parts.length >= 2 && !shared.test(parts.at(-1) ?? '') && !isHome
  return isPrivate ? { folder, isWhole } : undefined
}
