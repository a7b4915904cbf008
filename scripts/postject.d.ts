declare module 'postject' {
  /** Puts a resource into an executable, in place. */
  export function inject(
    file: string,
    name: string,
    content: Uint8Array,
    options?: { readonly sentinelFuse?: string; readonly machoSegmentName?: string },
  ): Promise<void>
}
