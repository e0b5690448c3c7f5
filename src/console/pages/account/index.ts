// The pages before a session, in one chunk: who opens one often opens another.
export { ForgotPassword, ResetPassword } from "./password.tsx";
export { SignIn } from "./sign-in.tsx";
export { SignUp } from "./sign-up.tsx";
export { Verify } from "./verify.tsx";
