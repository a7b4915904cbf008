import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ChannelContext, InboundFile, LoadedFile, LoadFileOptions } from '../../ports/channel.ts'
import { downloadFile, toFileUrl } from '../files/download-file.ts'
import { kindOfType } from '../files/kind-of-type.ts'
import type { DiscordAttachment } from './discord-interaction.ts'

/** A file of a command or of a message. */
export function toDiscordFile({
  filename,
  content_type,
  size,
  url,
  waveform,
}: DiscordAttachment): InboundFile {
  const mediaType = content_type?.split(';', 1)[0]
  return {
    kind: waveform ? 'voice message' : kindOfType(mediaType),
    ...(filename && { name: filename }),
    ...(mediaType && { mediaType }),
    ...(size !== undefined && { bytes: size }),
    reference: { url },
  }
}

/** Downloads a file from Discord's own hosts, without the token: the address is signed. @throws {ChannelError} */
export async function loadDiscordFile(
  { apiBase, fetch }: Pick<ChannelContext, 'apiBase' | 'fetch'>,
  { url }: JsonObject,
  options: LoadFileOptions,
): Promise<LoadedFile> {
  const what = 'Discord file'
  const hosts = ['cdn.discordapp.com', 'media.discordapp.net']
  return downloadFile({ what, url: toFileUrl(what, url, { hosts, apiBase }), fetch }, options)
}
