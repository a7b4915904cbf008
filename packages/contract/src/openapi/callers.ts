import type { AuthKind } from '../operation.ts'

/** How one kind of caller appears in the document. */
interface CallerKind {
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
    description: 'Operations for devices.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description: 'API key of a registered device.',
    },
  },
  enrolling: {
    tag: 'Enrollment',
    description: 'Operations for a device that waits for approval.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description: 'The API key that the device created, whose hash it sent in its enrollment.',
    },
  },
  session: {
    tag: 'Dashboard',
    description: 'Operations for users, for example through a dashboard.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A user session, or an API token of a user (`hwt_…`). Your app decides how a session is sent, for example as a token of its identity provider or as a cookie. A server that listens on loopback only may use one fixed user and require no session.',
    },
  },
  local: {
    tag: 'Local',
    description: 'Operations for programs on the same machine.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description: 'Access token of the local platform, if it requires one.',
    },
  },
  webhook: {
    tag: 'Webhooks',
    description: 'Operations for other services.',
    security: {
      type: 'http',
      scheme: 'bearer',
      description: 'Credential of the calling service, in the format that the service defines.',
    },
  },
  public: { tag: 'Public', description: 'Operations without authentication.' },
}
