import {
  openaiFileParts,
  readDataUrl,
  RunFile,
  type OpenAiContent,
  type OpenAiContentPart,
} from '@homeward/contract/agent-platform'
import { invalidField } from './openai-errors.ts'

/** What a message says and shows. */
interface Content {
  readonly text: string
  readonly files: readonly RunFile[]
}

type GivenFile = NonNullable<(typeof RunFile)['_zod']['input']>

/**
 * Reads the content of a message. Files have to be in it: an address is never fetched.
 *
 * @param place Where the content stands in the request.
 * @throws {HttpError} 400 for a part that cannot be read.
 */
export function readContent(content: OpenAiContent | undefined, place: string): Content {
  if (content === undefined || typeof content === 'string') return { text: content ?? '', files: [] }
  const texts: string[] = []
  const files: RunFile[] = []
  for (const [index, part] of content.entries()) {
    const at = `${place}.content[${index}]`
    const text = part.type === 'refusal' ? part['refusal'] : part.text
    if (!textTypes.has(part.type)) files.push(readFile(part, at))
    else if (typeof text !== 'string') throw invalidField(at, 'has no text')
    else texts.push(text)
  }
  return { text: texts.join('\n'), files }
}

const textTypes = new Set(['text', 'input_text', 'output_text', 'refusal'])

function readFile(part: OpenAiContentPart, place: string): RunFile {
  const parsed = RunFile.safeParse(toFile(part, place))
  if (parsed.success) return parsed.data
  throw invalidField(place, parsed.error.issues[0]?.message ?? 'is invalid')
}

const { picture, pictureUrl, sound, document } = openaiFileParts

/** Parts of chat completions hold their file in an object, those of responses have its fields. */
function toFile(part: OpenAiContentPart, place: string): GivenFile {
  switch (part.type) {
    case 'image_url':
      return fromUrl(read(picture, part['image_url'], `${place}.image_url`).url, place)
    case 'input_image':
      return fromUrl(read(pictureUrl, part['image_url'], `${place}.image_url`), place)
    case 'input_audio': {
      const { data, format } = read(sound, part['input_audio'], `${place}.input_audio`)
      return { media_type: `audio/${format}`, data }
    }
    case 'file':
      return toDocument(read(document, part['file'], `${place}.file`), place)
    case 'input_file':
      return toDocument(read(document, part, place), place)
    default:
      throw invalidField(
        place,
        `parts of type "${part.type.slice(0, 50)}" are not supported. Send text, a picture, a document or sound.`,
      )
  }
}

interface Document {
  readonly filename?: string | undefined
  readonly file_data?: string | undefined
}

function toDocument({ filename, file_data: data }: Document, place: string): GivenFile {
  if (data === undefined) throw invalidField(place, notHere)
  const name = filename !== undefined && { name: filename }
  const url = readDataUrl(data)
  // some clients send the base64 alone: the bytes say what it is
  if (!url) return { ...name, media_type: 'application/octet-stream', data }
  return { ...name, media_type: url.mediaType, data: url.data as string } // or bytes, as the schema takes them too
}

function fromUrl(url: string, place: string): GivenFile {
  const read = readDataUrl(url)
  if (!read) throw invalidField(place, notHere)
  return { media_type: read.mediaType, data: read.data as string } // as above
}

interface Parser<Value> {
  safeParse(value: unknown): { readonly success: true; readonly data: Value } | { readonly success: false }
}

const notHere =
  'the file is not in the request, and addresses and file ids are not fetched. Send it as a data: URL.'

function read<Value>(schema: Parser<Value>, value: unknown, place: string): Value {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw invalidField(place, typeof value === 'undefined' ? notHere : 'does not match the type of the part')
}
