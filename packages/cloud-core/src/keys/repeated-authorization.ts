/** Whether a header `Authorization` came several times, joined by commas: which token was meant cannot be told. */
export const isRepeatedAuthorization = (header: string) => /^Bearer +[^,]*,|, *Bearer +/i.test(header)

/** `WWW-Authenticate` for its caller, whose body is the documented one (RFC 6750, section 3.1). */
export const sendAuthorizationOnce =
  'Bearer error="invalid_request", error_description="Authorization was sent more than once. Send it once, with one token"'
