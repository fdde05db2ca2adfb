/** Whether two types are the same, optional fields and `any` included. */
export type Equal<A, B> =
  (<T>() => T extends Normal<A> ? 1 : 2) extends <T>() => T extends Normal<B> ? 1 : 2 ? true : Difference<Normal<A>, Normal<B>>;

/** Intersections written as one object, all the way down, so that only the shape counts. */
type Normal<T> = T extends (infer Item)[] ? Normal<Item>[] : T extends object ? { [K in keyof T]: Normal<T[K]> } : T;

/** What the compiler shows when two types differ. */
interface Difference<A, B> {
  schema: A;
  type: B;
}
