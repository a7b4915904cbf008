import type { OutboundFile } from '../../ports/channel.ts'

/** A form with a file. Fields that are undefined are left out. */
export function toFileForm(
  fields: Readonly<Record<string, string | number | undefined>>,
  name: string,
  file: OutboundFile,
): FormData {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) form.set(key, String(value))
  form.set(name, new Blob([toBytes(file)], { type: file.mediaType }), file.name)
  return form
}

/** Bytes as `fetch` takes them: stored ones are never shared with another thread. */
export const toBytes = ({ content }: OutboundFile) => content as Uint8Array<ArrayBuffer>

/** Milliseconds that an upload may take. */
export const uploadTimeoutMs = 110_000
