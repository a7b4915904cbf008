import { maxFiles } from '@homeward/contract/agent-platform'
import { toNewFiles, type NewFiles } from '../../files/to-files.ts'
import type { InboundFile } from '../../ports/channel.ts'
import type { StoredInboundFile } from '../../store/ports/channel-input.ts'

/**
 * The files of a message as they are stored with it. One more entry says how many were left out.
 *
 * @returns `storing`: those whose bytes came along, to be stored with the task.
 */
export async function toStoredFiles(
  given: readonly InboundFile[],
  createId: () => string,
): Promise<{ readonly files: readonly StoredInboundFile[]; readonly storing: NewFiles }> {
  const files: StoredInboundFile[] = []
  const storing = { files: [] as NewFiles['files'][number][], contents: [] as NewFiles['contents'][number][] }
  for (const [index, { content, ...file }] of given.slice(0, maxFiles).entries()) {
    if (content === undefined) {
      files.push(file)
      continue
    }
    const { name, mediaType: media_type } = file
    const added = await toNewFiles([{ name, media_type, data: content }], createId, index + 1)
    storing.contents.push(...added.contents)
    for (const stored of added.files) {
      storing.files.push(stored)
      files.push({ ...file, bytes: content.length, stored })
    }
  }
  const left = given.length - maxFiles
  if (left > 0) files.push({ kind: 'document', problem: `${left} more files, which were not read` })
  return { files, storing }
}
