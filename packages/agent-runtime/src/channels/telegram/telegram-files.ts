import * as z from 'zod/mini'
import type { InboundFile, LoadedFile, LoadFileOptions } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import type { TelegramApi } from './telegram-api.ts'
import type { TelegramFile, TelegramMessage } from './telegram-update.ts'

/** Bots can load files up to this size only, in bytes. */
const maxBytes = 20 * 1024 * 1024

/** The files of a message. A picture comes in several sizes, of which the largest counts. */
export function filesOfTelegram(message: TelegramMessage): InboundFile[] {
  const { photo = [], document, audio, voice, video, video_note: note, sticker } = message
  const picture = photo.toSorted((one, other) => other.width * other.height - one.width * one.height)[0]
  const isStill = sticker?.is_animated !== true && sticker?.is_video !== true
  const shown = isStill ? sticker : sticker?.thumbnail
  return [
    ...toFile('picture', picture),
    ...toFile('document', document),
    ...toFile('sound', audio),
    ...toFile('voice message', voice),
    ...toFile('video', video ?? note),
    ...toFile('sticker', shown),
    ...(sticker && !shown
      ? [{ kind: 'sticker', problem: 'it is animated and has no still picture' } as const]
      : []),
  ]
}

function toFile(kind: InboundFile['kind'], file: TelegramFile | undefined): InboundFile[] {
  if (file === undefined) return []
  const { file_id: id, file_name: name, mime_type: mediaType, file_size: bytes } = file
  return [
    {
      kind,
      ...(name && { name }),
      ...(mediaType && { mediaType }),
      ...(bytes !== undefined && { bytes }),
      ...(bytes !== undefined && bytes > maxBytes
        ? { problem: 'larger than 20 MB, the limit of Telegram for bots' }
        : { reference: { file_id: id } }),
    },
  ]
}

const Found = z.object({ file_path: z.string() })

/** Asks where a file is, and downloads it from the same origin. @throws {ChannelError} */
export async function loadTelegramFile(
  api: TelegramApi,
  { file_id }: { readonly file_id?: unknown },
  options: LoadFileOptions,
): Promise<LoadedFile> {
  const found = Found.safeParse(await api.call('getFile', { file_id }, { signal: options.signal }))
  if (!found.success)
    throw new ChannelError(
      'permanent',
      'Telegram getFile failed: the response has no file path. Send the file again.',
    )
  return api.download(found.data.file_path, options)
}
