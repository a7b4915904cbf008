import { crc32, deflateRawSync } from 'node:zlib'

/** An entry as it is to stand in the archive, right or wrong. */
export interface CraftedEntry {
  readonly name: string
  /** Of the system that made the entry: 0 is Windows, 3 is Unix. @default 3 */
  readonly host?: number
  /** Whether the entry says that its name is UTF-8. @default true */
  readonly isMarked?: boolean
  readonly content?: Uint8Array | string
  /** Unix mode with the file type: `0o120777` is a link. */
  readonly mode?: number
  readonly encrypted?: boolean
  /** What the headers say about the size; the content may be larger. */
  readonly declaredSize?: number
  /** What the headers say about the CRC-32 of the content. */
  readonly declaredChecksum?: number
}

/** Writes a zip archive byte by byte, so that it can lie: archivers refuse to. */
export function craftZip(entries: readonly CraftedEntry[]): Uint8Array {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { local, central } = craftEntry(entry, offset)
    locals.push(local)
    centrals.push(central)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

function craftEntry(entry: CraftedEntry, offset: number): { local: Buffer; central: Buffer } {
  const name = Buffer.from(entry.name)
  const content = Buffer.from(entry.content ?? '')
  const packed = deflateRawSync(content)
  const size = entry.declaredSize ?? content.length
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE((entry.isMarked === false ? 0 : 0x0800) | (entry.encrypted ? 1 : 0), 2)
  common.writeUInt16LE(8, 4)
  common.writeUInt32LE(entry.declaredChecksum ?? crc32(content), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(size, 18)
  common.writeUInt16LE(name.length, 22)
  const localMark = Buffer.from([0x50, 0x4b, 0x03, 0x04])
  const centralHead = Buffer.from([0x50, 0x4b, 0x01, 0x02, 20, entry.host ?? 3])
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6)
  tail.writeUInt32LE(offset, 10)
  return {
    local: Buffer.concat([localMark, common, name, packed]),
    central: Buffer.concat([centralHead, common, tail, name]),
  }
}
