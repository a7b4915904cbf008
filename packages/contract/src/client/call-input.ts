import type * as z from 'zod/mini'
import type {
  BodyInputOf,
  EncodedBody,
  FormBody,
  Operation,
  ParamsInputOf,
  QueryInputOf,
  ReplyOf,
} from '../operation.ts'
import type { FormFile } from './multipart.ts'
import type { UnsharedBytes } from './unshared-bytes.ts'

/** Options of every call. */
export interface CallOptions {
  /** Headers of this call. They replace headers of the client with the same names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Time limit of this call in milliseconds, instead of the client's. */
  readonly timeoutMs?: number
  /** Called with the number of bytes of a streamed file that were passed to the network, and the total. */
  readonly onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined
  /** Cancels the call, which then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined
}

type Part<Key extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Partial<Value> extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value }

type FormPart<O extends Operation> = O extends { readonly form: FormBody }
  ? { readonly form: z.core.input<O['form']['fields']>; readonly file?: FormFile }
  : unknown

type BytesPart<O extends Operation> = O extends { readonly bytes: true }
  ? { readonly bytes: UnsharedBytes }
  : O extends { readonly bytes: EncodedBody }
    ? { readonly bytes: UnsharedBytes | Blob }
    : unknown

/** Inputs of one operation, as its row defines them. */
export type CallInput<O extends Operation> = Part<'params', ParamsInputOf<O>> &
  Part<'query', QueryInputOf<O>> &
  Part<'body', BodyInputOf<O>> &
  FormPart<O> &
  BytesPart<O> &
  CallOptions

/** Arguments of one call. The input is optional if no field is required. */
export type CallArguments<O extends Operation> =
  Partial<CallInput<O>> extends CallInput<O> ? [input?: CallInput<O>] : [input: CallInput<O>]

/** A successful response with its status and headers. */
export interface CallResult<O extends Operation> {
  readonly status: number
  readonly headers: Headers
  readonly body: ReplyOf<O>
}
