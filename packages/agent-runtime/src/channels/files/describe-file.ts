import { toPlainFileName } from '@homeward/kit'
import type { InboundFile } from '../../ports/channel.ts'

/** Largest file of a message, in bytes. */
export const maxFileBytes = 20 * 1024 * 1024

type Described = Pick<InboundFile, 'kind' | 'name' | 'bytes'>

/** A file that the model does not get, in words: `[document report.pdf, 3 MB: could not be downloaded]`. */
export function describeFile({ kind, name, bytes }: Described, problem: string): string {
  const named = name === undefined ? kind : `${kind} ${plainName(name)}`
  return `[${named}${bytes === undefined ? '' : `, ${toSize(bytes)}`}: ${problem}]`
}

/** What a message without text says: `Sent a picture.` */
export function describeMessage(files: readonly Described[]): string {
  const [file] = files
  if (file === undefined) return ''
  return files.length === 1 ? `Sent a ${file.kind}.` : `Sent ${files.length} files.`
}

/** A size for people: `20 KB`, `3 MB`. */
export function toSize(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1000))} KB`
  return `${Math.round(bytes / 1_000_000)} MB`
}

/** A name that cannot end the brackets around it. */
const plainName = (name: string) =>
  toPlainFileName(name)
    .replace(/[[\]\p{C}\s]+/gu, ' ')
    .slice(0, 100)
    .toWellFormed()
