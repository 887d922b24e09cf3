import type { Observable } from 'rxjs';

/** A class, as it is injected by. */
export type ServiceClass<T> = abstract new (...args: any[]) => T;

/** The parameters of a method that can be decorated; `never` for all else. Looks at this one method only, so that a class may defer to itself. */
export type ArgumentsOf<M> = M extends (...args: infer Args) => PromiseLike<unknown> | Observable<unknown> ? Args : never; // prettier-ignore
