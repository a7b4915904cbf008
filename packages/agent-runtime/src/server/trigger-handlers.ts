import type { Trigger } from '@homeward/contract/agent-platform'
import { HttpError, rateLimited, readBytes, type RequestView } from '@homeward/contract/handler'
import { createGuessLimits, toLimitKey } from '@homeward/kit'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { titleOf } from './platform-errors.ts'

type TriggerHandlers = Pick<
  PlatformHandlers,
  | 'createTrigger'
  | 'listTriggers'
  | 'getTrigger'
  | 'updateTrigger'
  | 'deleteTrigger'
  | 'listTriggerDeliveries'
  | 'callTrigger'
>

/** Largest body of a call in bytes. */
const maxBytes = 1024 * 1024
/** After how many milliseconds a program may try again that calls too often. */
const pauseMs = 60_000

/** Triggers: other programs start work. */
export function createTriggerHandlers({
  services: { triggers },
  clientAddress,
  requestOrigin,
  basePath,
}: PlatformContext): TriggerHandlers {
  const limits = createGuessLimits(() => false)

  /** Without the setting `public_url`, the address is the one by which the caller reached the server. */
  const withOrigin = (trigger: Trigger, request: RequestView): Trigger =>
    trigger.url.startsWith('/')
      ? { ...trigger, url: requestOrigin(request) + basePath + trigger.url }
      : trigger

  /** A valid call always passes: those behind one address do not lock each other out. */
  function refuse(request: RequestView): HttpError {
    const waitMs = limits.fail(toLimitKey(clientAddress(request)), Date.now())
    if (waitMs > 0) return rateLimited('Too many calls without a valid signature from this address.', waitMs)
    return new HttpError(401, {
      error: titleOf(401),
      message: 'The signature or the token is missing or not valid. Use the secret of the trigger.',
    })
  }

  return {
    async createTrigger({ body, request, setHeader }) {
      setHeader('cache-control', 'no-store')
      const { trigger, secret } = await triggers.create(body)
      return { trigger: withOrigin(trigger, request), secret }
    },
    listTriggers: async ({ request }) => ({
      triggers: (await triggers.list()).map((trigger) => withOrigin(trigger, request)),
    }),
    getTrigger: async ({ params, request }) => ({
      trigger: withOrigin(await triggers.get(params.id), request),
    }),
    updateTrigger: async ({ params, body, request }) => ({
      ok: true,
      trigger: withOrigin(await triggers.update(params.id, body), request),
    }),
    async deleteTrigger({ params }) {
      await triggers.delete(params.id)
      return { ok: true }
    },
    listTriggerDeliveries: async ({ params }) => ({
      deliveries: [...(await triggers.deliveries(params.id))],
    }),
    async callTrigger({ params, request }) {
      const reply = await triggers.receive(params.id, {
        header: (name) => request.header(name),
        body: () => readBytes(request, 'The body', maxBytes),
      })
      if (reply.kind === 'unknown') throw new HttpError(404, { error: titleOf(404) })
      if (reply.kind === 'unauthorized') throw refuse(request)
      if (reply.kind === 'limited')
        throw rateLimited(
          'The trigger received more calls than its limit per minute. Retry later, or raise "per_minute".',
          pauseMs,
        )
      const { outcome, taskId } = reply
      return { ok: true, outcome, ...(taskId !== undefined && { task_id: taskId }) }
    },
  }
}
