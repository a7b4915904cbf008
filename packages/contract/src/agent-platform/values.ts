import { isDeeperThan } from '@homeward/kit'
import * as z from 'zod/mini'
import { limitParameter } from '../device-cloud/list-query.ts'
import { printable, boundedString, Timestamp } from '../device-cloud/text.ts'
import { JsonObject } from '../json-value.ts'

export { limitParameter, Timestamp }

/** Text of 1 to `max` characters. */
export const shortText = (max: number) => boundedString(max)

/** Id of an agent, a skill or a graph node, chosen by people: letters, digits, `_`, `-` and `.`. */
export const Slug = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      'must be 1 to 64 letters, digits, "_", "-" or ".", a letter or digit first',
    ),
  )

/** An http or https URL without a user name or password. */
export const webAddress = z.string().check(
  z.trim(),
  z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  z.maxLength(2000),
  z.refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), 'must not hold a user name or password'),
)
/** One line, such as an API key. */
export const secretText = z.string().check(
  z.trim(),
  z.maxLength(10_000),
  z.refine((text) => !/\p{Cc}/u.test(text), 'must be one line'),
)
/** A key that is sent in a header. */
export const headerSecret = secretText.check(
  z.refine((text) => /^[ -~]*$/.test(text), 'must be printable ASCII'),
)
/** Id created by the platform. */
export const PlatformId = z.string().check(z.minLength(1), z.maxLength(200))

/**
 * Id chosen by a client: of a conversation, a user or a retry. Invalid Unicode is rejected, because two such ids
 * could become the same in UTF-8.
 */
export const CustomId = z.string().check(z.minLength(1), z.maxLength(200), printable)

/**
 * Id of a conversation, chosen by a client.
 *
 * `.` and `..` are rejected in every encoding, because the id is part of paths, and such a conversation could not be
 * read, renamed or deleted.
 */
export const ConversationId = CustomId.check(
  z.refine((id) => id !== '.' && id !== '..', { error: 'must not be "." or ".."' }),
)

/** Identifier of a message, given by a client. Those with a number at the end are the platform's own. */
export const MessageId = CustomId.check(
  z.refine((id) => !/\.\d+$/.test(id), { error: 'must not end in "." and a number' }),
)

/** Position in a list, as the platform gave it. The longest hold a {@link CustomId} of 200 characters of any script. */
export const PageCursor = z.string().check(z.minLength(1), z.maxLength(1000))

const maxJsonLength = 65_536
/** As bodies of requests. What walks deeper values overflows its stack. */
export const maxJsonDepth = 100
/** Said of JSON that is deeper. */
export const tooDeep = `must nest at most ${maxJsonDepth} levels`

/**
 * A JSON object of at most 65,536 characters. Its size is checked before its form: hundreds of thousands of keys would hold
 * up everybody else for seconds.
 */
const boundedObject: z.ZodMiniType<JsonObject, JsonObject> = z.pipe(
  z.transform((given: JsonObject, { issues }) => {
    if (isLongerThan(given, maxJsonLength)) {
      const message = `must have at most ${maxJsonLength} characters as JSON`
      issues.push({ code: 'custom', message, input: given })
    } else if (isDeeperThan(given, maxJsonDepth))
      issues.push({ code: 'custom', message: tooDeep, input: given })
    return given
  }),
  JsonObject,
)

/** What a client notes at a run or a task. */
export const GivenMetadata = boundedObject

/** A JSON Schema of at most 65,536 characters. */
export const OutputSchema = boundedObject

/** False for what is no JSON: its schema says why. */
function isLongerThan(value: unknown, maxLength: number): boolean {
  try {
    return JSON.stringify(value).length > maxLength
  } catch {
    return false
  }
}

/** Answer of an operation that has nothing to tell. */
export const Done = z.object({ ok: z.literal(true) })

/** An optional input for which some clients write `null`: that counts as absent. */
type OrAbsent<S extends z.ZodMiniType> = z.ZodMiniOptional<
  z.ZodMiniType<z.output<S> | undefined, z.input<S> | null | undefined>
>

/** An optional field of a resource that `null` or the empty string clears. */
export type Clearable<S extends z.ZodMiniType> = z.ZodMiniOptional<
  z.ZodMiniType<z.output<S> | null, z.input<S> | '' | null>
>

/** A field that has to be there, and that `null` and the empty text clear. */
type Emptiable<S extends z.ZodMiniType> = z.ZodMiniType<z.output<S> | null, z.input<S> | '' | null>

/** Makes an {@link OrAbsent}. */
export function orAbsent<S extends z.ZodMiniType>(schema: S): OrAbsent<S> {
  const given = z.transform((value: unknown): unknown => value ?? undefined)
  // the transform takes anything; the type says what may be given
  return z.optional(z.pipe(given, z.optional<z.ZodMiniType>(schema))) as unknown as OrAbsent<S>
}

/** Makes an {@link Emptiable}. */
export function emptiable<S extends z.ZodMiniType>(schema: S): Emptiable<S> {
  const given = z.transform((value: unknown): unknown => (value === '' ? null : value))
  // as above
  return z.pipe(given, z.nullable<z.ZodMiniType>(schema)) as unknown as Emptiable<S>
}

/** Makes a {@link Clearable}. */
export function clearable<S extends z.ZodMiniType>(schema: S): Clearable<S> {
  return z.optional<Emptiable<S>>(emptiable(schema))
}
