import type { JsonObject } from '@homeward/contract/agent-platform'
import type {
  ChannelContext,
  InboundFile,
  InboundFileKind,
  LoadedFile,
  LoadFileOptions,
} from '../../ports/channel.ts'
import { downloadFile, toFileUrl } from '../files/download-file.ts'
import type { ViberMessage } from './parse-viber.ts'

const kinds: ReadonlyMap<string | undefined, InboundFileKind> = new Map([
  ['picture', 'picture'],
  ['video', 'video'],
  ['file', 'document'],
  ['sticker', 'sticker'],
])

/** The file of a message: Viber sends each file as a message of its own. */
export function filesOfViber(message: ViberMessage | undefined): InboundFile[] {
  const kind = kinds.get(message?.type)
  const { media, file_name: name, size } = message ?? {}
  if (kind === undefined || !media) return []
  return [
    {
      kind,
      ...(name && { name }),
      ...(size !== undefined && { bytes: size }),
      reference: { url: media },
    },
  ]
}

/** Downloads a file from Viber's own hosts, without the token. @throws {ChannelError} */
export async function loadViberFile(
  { apiBase, fetch }: Pick<ChannelContext, 'apiBase' | 'fetch'>,
  { url }: JsonObject,
  options: LoadFileOptions,
): Promise<LoadedFile> {
  const what = 'Viber file'
  return downloadFile({ what, url: toFileUrl(what, url, { hosts: ['.viber.com'], apiBase }), fetch }, options)
}
