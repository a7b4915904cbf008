import { HttpError, type PlainReply, type RequestView } from '@homeward/contract/handler'
import { toEventStream } from '@homeward/kit'
import type { PlatformContext } from '../platform-context.ts'
import { toHttpError } from '../platform-errors.ts'
import type { AnswerPart, OpenRun } from './open-run.ts'
import { runHeader } from './openai-errors.ts'

/** Writes the parts of an answer as server-sent events, and a failure as the interface ends a stream with it. */
export interface StreamWriter {
  begin(): string
  part(part: AnswerPart): string | Promise<string>
  fail(error: HttpError): string
}

/** A run's answer as it comes. */
export function toSseReply(
  { keepaliveMs, onError }: PlatformContext,
  request: RequestView,
  run: OpenRun,
  writer: StreamWriter,
): PlainReply {
  async function* write(signal: AbortSignal): AsyncGenerator<string, void> {
    try {
      yield writer.begin()
      for await (const part of run.parts(signal)) yield await writer.part(part)
    } catch (error) {
      if (signal.aborted) return
      const known = toHttpError(error)
      if (!(known instanceof HttpError)) onError(error)
      yield writer.fail(known instanceof HttpError ? known : broken())
    }
  }
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no', // nginx would hold events back
      [runHeader]: run.runId,
    },
    body: toEventStream(write, { keepaliveMs, signal: request.signal }),
  }
}

const broken = () =>
  new HttpError(500, { error: 'The stream was interrupted', message: 'The stream was interrupted.' })
