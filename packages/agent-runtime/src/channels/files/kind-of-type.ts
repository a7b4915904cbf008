import type { InboundFileKind } from '../../ports/channel.ts'

const kinds: ReadonlyMap<string | undefined, InboundFileKind> = new Map([
  ['image', 'picture'],
  ['audio', 'sound'],
  ['video', 'video'],
])

/** What a file of a media type is called. */
export const kindOfType = (mediaType: string | null | undefined): InboundFileKind =>
  kinds.get(mediaType?.toLowerCase().split('/', 1)[0]) ?? 'document'
