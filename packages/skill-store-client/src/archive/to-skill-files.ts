import { SkillStoreError } from '../skill-store-error.ts'
import { type ArchiveLimits, type SkillFile, unpackZip } from './unpack-zip.ts'

const rootFiles = new Set(['SKILL.md', 'skill.yaml'])
/** How every zip archive begins; the second is an empty one. */
const zipMarks = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x50, 0x4b, 0x05, 0x06],
]

/** Whether the bytes are a zip archive. Other content is treated as Markdown. */
export function isZip(content: Uint8Array): boolean {
  return zipMarks.some((mark) => mark.every((byte, index) => content[index] === byte))
}

/**
 * Converts downloaded content to the files of a skill: a zip archive, or the text of a SKILL.md.
 *
 * An archive may contain the files directly or in one folder.
 *
 * @throws {SkillStoreError} `INVALID_ARCHIVE`, or `INVALID_CONTENT` for an archive without a skill or for text that
 * is not UTF-8.
 */
export async function toSkillFiles(content: Uint8Array, limits?: ArchiveLimits): Promise<SkillFile[]> {
  if (!isZip(content)) return [{ path: 'SKILL.md', bytes: checkText(content) }]
  const files = withoutTopFolder((await unpackZip(content, limits)).filter(({ path }) => !isClutter(path)))
  if (files.some(({ path }) => rootFiles.has(path))) return files
  throw new SkillStoreError(
    'INVALID_CONTENT',
    'Reading the archive failed: it contains neither SKILL.md nor skill.yaml, at the top or in a single top folder. Add one.',
  )
}

/** What archivers add by themselves. */
function isClutter(path: string): boolean {
  return path.startsWith('__MACOSX/') || path.split('/').at(-1) === '.DS_Store'
}

function withoutTopFolder(files: readonly SkillFile[]): SkillFile[] {
  const top = files[0]?.path.split('/', 1)[0]
  if (top === undefined || files.some(({ path }) => !path.startsWith(`${top}/`))) return [...files]
  return files.map((file) => ({ ...file, path: file.path.slice(top.length + 1) }))
}

function checkText(content: Uint8Array): Uint8Array {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    if (!text.includes('\0') && !/^\s*<(!doctype|html)\b/i.test(text) && text.trim() !== '') return content
  } catch {
    // said below
  }
  throw new SkillStoreError(
    'INVALID_CONTENT',
    'Reading the skill failed: it must be a zip archive or Markdown in UTF-8, and not a web page.',
  )
}
