// What documents use of libraries that are not installed here. It checks our side of these programs.

declare module 'better-auth' {
  interface Auth {
    readonly api: {
      getSession(request: { headers: Headers }): Promise<{ readonly user: { readonly id: string } } | null>
    }
  }
  export function betterAuth(options: object): Auth
}

declare module '@auth/core/jwt' {
  export function getToken(options: {
    readonly req: { readonly headers: Headers }
    readonly secret: string
    readonly secureCookie?: boolean
  }): Promise<{ readonly sub?: string } | null>
}

declare module '@clerk/backend' {
  export function verifyToken(
    token: string,
    options: { readonly secretKey: string },
  ): Promise<{ readonly sub: string }>
}

declare module '@nestjs/core' {
  import type { IncomingMessage, ServerResponse } from 'node:http'
  interface NestApplication {
    use(
      path: string,
      middleware: (request: IncomingMessage, response: ServerResponse) => void,
    ): NestApplication
    enableShutdownHooks(): NestApplication
    listen(port: number, hostname?: string): Promise<unknown>
  }
  export const NestFactory: { create(module: unknown): Promise<NestApplication> }
}

declare module '@nestjs/common' {
  export function Module(metadata: object): (target: new () => object) => void
}
