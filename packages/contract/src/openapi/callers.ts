import type { AuthKind } from '../operation.ts'

/** How one kind of caller appears in the document. */
export interface CallerKind {
  /** Tag under which its operations are grouped. */
  readonly tag: string
  readonly description: string
  /** How it proves who it is; undefined when it does not. */
  readonly security?: { readonly type: 'http'; readonly scheme: 'bearer'; readonly description: string }
}

/** Every kind of caller of {@link AuthKind}. */
export const callerKinds: Readonly<Record<AuthKind, CallerKind>> = {
  device: {
    tag: 'Device',
    description: 'What a device calls.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description: 'API key of a registered device, as registration gave it.',
    },
  },
  enrolling: {
    tag: 'Enrollment',
    description: 'What a device calls while it waits to be let in.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description: 'The API key that the device made, whose hash it sent in its enrollment.',
    },
  },
  session: {
    tag: 'Dashboard',
    description: 'What a user calls, through a dashboard.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A user session, or an API token of a user (`hwt_…`). The host decides how a session travels: a token of its identity provider or a cookie. A server that listens on loopback only may take one fixed user and need none.',
    },
  },
  local: {
    tag: 'Local',
    description: 'What a program on the same machine calls.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description: 'Access token of the local platform, where it has one.',
    },
  },
  webhook: {
    tag: 'Webhooks',
    description: 'What other services call.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description: 'Proof of the calling service, in the form it defines.',
    },
  },
  public: { tag: 'Public', description: 'What anybody may call.' },
}
