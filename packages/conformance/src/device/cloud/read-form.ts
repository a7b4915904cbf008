/** What a device sent as a form. */
export interface UploadForm {
  readonly requestId: string | undefined
  /** Names of the parts, in order. */
  readonly parts: readonly string[]
  readonly file: { readonly name: string; readonly bytes: Buffer } | undefined
  readonly error: string | undefined
}

/** Reads `multipart/form-data`. Gives undefined for a body that is not a well-formed form. */
export async function readForm(contentType: string, body: Buffer): Promise<UploadForm | undefined> {
  if (!contentType.toLowerCase().startsWith('multipart/form-data')) return undefined
  return (await parse(contentType, body)) ?? (await parse(contentType, withoutBackslashes(body)))
}

/**
 * Quotes in names as HTML writes them, which is the one form that the parser of `fetch` takes. Mail (RFC 2045) writes them with
 * a backslash, and so do libraries such as Go's.
 */
function withoutBackslashes(body: Buffer): Buffer {
  const text = body.toString('latin1')
  const clean = text.replaceAll(/^content-disposition:[^\r\n]*/gim, (line) => line.replaceAll('\\"', '%22'))
  return Buffer.from(clean, 'latin1')
}

async function parse(contentType: string, body: Buffer): Promise<UploadForm | undefined> {
  try {
    const content = new Uint8Array(body)
    const form = await new Response(content, { headers: { 'content-type': contentType } }).formData()
    const text = (name: string) => {
      const value = form.get(name)
      return typeof value === 'string' ? value : undefined
    }
    const file = form.get('file')
    return {
      requestId: text('requestId'),
      parts: [...form.keys()],
      file:
        file instanceof File ? { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) } : undefined,
      error: text('error'),
    }
  } catch {
    return undefined
  }
}
