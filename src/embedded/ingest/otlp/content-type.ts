const typeOf = (headers: Headers) => (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()

export const isProtobuf = (headers: Headers) => typeOf(headers) === 'application/x-protobuf'
export const isJson = (headers: Headers) => typeOf(headers) === 'application/json'
